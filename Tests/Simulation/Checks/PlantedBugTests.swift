import HistoryJudge
import Testing

/// Goal: histories and judge find mistakes. Method: each is planted in turn; the table in docs/simulation.md says which
/// seed finds it first.
@Suite(.timeLimit(.minutes(10))) struct PlantedBugTests {
    /// Seeds that are tried before all others, which would take minutes. A mistake that its seed finds no more, after a
    /// change of the pipeline or the histories, is looked for from the first one.
    private static let likely: [PlantedBug: UInt64] = [
        .completionBeforeHandling: 26, .claimWithoutFencing: 22, .settlementWithoutClaim: 160, .cancelForgotten: 11,
        .repeatsDespiteAtMostOnce: 86, .reportedBeforePublished: 25, .failureTakenForDelivery: 15,
        .unknownTakenForNotSent: 24, .lateFailureTakenForRefusal: 428, .keyForgotten: 129, .capForgotten: 75,
        .rateForgotten: 429, .badgeCountedAgain: 25, .tombstoneLost: 13, .staleMemberCompletes: 26,
        .momentReleasesNothing: 21, .inboxWithoutBound: 16, .rollbackUnnoticed: 12, .laterLossTrusted: 16,
        .partTakenForFirst: 13, .statesLeftEarly: 30, .reportSettledEarly: 15, .receiptForgotten: 13,
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
