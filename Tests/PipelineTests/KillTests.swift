import TestSupport
import Testing

/// Two harnesses for each bus, in which the processes are killed in turn: a start takes as long as a kill.
@Suite(.timeLimit(.minutes(10))) struct KillTests {
    @Test(arguments: Harness.BusKind.allCases)
    func aKilledServiceLosesNothing(_ bus: Harness.BusKind) async throws {
        let harness = try await Harness(bus)
        let story = try await KillStory(harness)
        for victim in Harness.services where !victim.hasSuffix("-sender") { try await story.kill(victim) }
        try await harness.close()
    }

    @Test(arguments: Harness.BusKind.allCases)
    func aKilledSenderOrRedisLosesNothing(_ bus: Harness.BusKind) async throws {
        let harness = try await Harness(bus)
        let story = try await KillStory(harness)
        for victim in Harness.services where victim.hasSuffix("-sender") { try await story.kill(victim) }
        try await story.kill(KillStory.redis)
        try await story.killSendersOfWhatMustNotBeRepeated()
        try await harness.close()
    }
}
