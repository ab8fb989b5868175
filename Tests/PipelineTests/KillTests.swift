import TestSupport
import Testing

/// Two houses for each bus, in which one after another dies: to start a house takes as long as a death.
@Suite(.timeLimit(.minutes(10))) struct KillTests {
    @Test(arguments: House.BusKind.allCases)
    func aKilledServiceLosesNothing(_ bus: House.BusKind) async throws {
        let house = try await House(bus)
        let story = try await KillStory(house)
        for victim in House.services where !victim.hasSuffix("-sender") { try await story.kill(victim) }
        try await house.close()
    }

    @Test(arguments: House.BusKind.allCases)
    func aKilledSenderOrRedisLosesNothing(_ bus: House.BusKind) async throws {
        let house = try await House(bus)
        let story = try await KillStory(house)
        for victim in House.services where victim.hasSuffix("-sender") { try await story.kill(victim) }
        try await story.kill(KillStory.redis)
        try await story.killSendersOfWhatMustNotBeRepeated()
        try await house.close()
    }
}
