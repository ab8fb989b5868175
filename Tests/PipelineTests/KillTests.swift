import TestSupport
import Testing

/// One house for each bus, in which one after another dies: to start a house takes as long as a death.
@Suite(.timeLimit(.minutes(10))) struct KillTests {
    @Test(arguments: House.BusKind.allCases)
    func aKilledProcessLosesNothing(_ bus: House.BusKind) async throws {
        let house = try await House(bus)
        let story = try await KillStory(house)
        for victim in KillStory.victims { try await story.kill(victim) }
        try await story.killSendersOfWhatMustNotBeRepeated()
        try await house.close()
    }
}
