import HistoryJudge
import Testing

/// Goal: histories and judge find mistakes. Method: each is planted in turn; the table in docs/simulation.md says which
/// seed finds it first.
@Suite(.timeLimit(.minutes(10))) struct PlantedBugTests {
    /// Seeds that are tried before all others, which would take minutes. A mistake that its seed finds no more, after a
    /// change of the pipeline or the histories, is looked for from the first one.
    private static let likely: [PlantedBug: UInt64] = [
        .settlementWithoutClaim: 405, .cancelForgotten: 13, .repeatsDespiteAtMostOnce: 43, .markForgotten: 11,
        .reportedBeforePublished: 41, .retryLeftEarly: 21, .failureTakenForDelivery: 15, .unknownTakenForNotSent: 37,
        .lateFailureTakenForRefusal: 63, .keyForgotten: 28, .capForgotten: 90, .rateForgotten: 13,
        .badgeCountedAgain: 15, .tombstoneLost: 13, .inboxWithoutBound: 45, .rollbackUnnoticed: 12,
        .laterLossTrusted: 16, .reportSettledEarly: 34, .receiptForgotten: 37, .keyOfAnyRequest: 28,
        .repeatWithOtherBytes: 147, .removalToldTwice: 216, .strangersForgotten: 21, .channelForgotten: 58,
        .lostChannelKept: 63, .channelDeletedEarly: 58, .subscriptionsAdded: 20, .groupChangeForgotten: 70,
    ]

    @Test(arguments: PlantedBug.allCases)
    func aPlantedMistakeIsFound(_ bug: PlantedBug) {
        let likely = PlantedBugTests.likely[bug].flatMap { BugHunt.firstCatch(of: bug, from: $0, histories: 1) }
        #expect((likely ?? BugHunt.firstCatch(of: bug)) != nil, "missed by \(BugHunt.seedsMaximum) histories")
    }

    @Test func aFailureIsShortenedToWhatItNeeds() throws {
        let found = try #require(BugHunt.firstCatch(of: .markForgotten))
        let shrunk = found.history.shrunk(bug: .markForgotten)
        #expect(shrunk.events.count < found.history.events.count)
        #expect(!HistoryRun(shrunk, bug: .markForgotten).violations().isEmpty)
        for place in shrunk.events.indices {
            var shorter = shrunk
            shorter.events.remove(at: place)
            #expect(HistoryRun(shorter, bug: .markForgotten).violations().isEmpty)
        }
    }
}
