package import PushModel
package import ServiceKit
package import Store

/// The registry in memory, for tests and the simulation, and the reference for the stored one. For the same seed and
/// order of calls it assigns the same ids.
package final class MemoryRegistry: MemoryBadges {
    struct Contents {
        var generation = 1
        var apps: [AppID: MemoryRegistryApp] = [:]
        var isReady = true
    }

    let contents: Monitor<Contents>
    let time: any TimeSource
    private let random: any RandomSource
    private let journal: (any RegistryJournal)?

    package convenience init(time: any TimeSource, random: any RandomSource) {
        self.init(Monitor(Contents()), time: time, random: random, journal: nil)
    }

    private init(
        _ contents: Monitor<Contents>, time: any TimeSource, random: any RandomSource,
        journal: (any RegistryJournal)?
    ) {
        self.contents = contents
        self.time = time
        self.random = random
        self.journal = journal
    }

    /// The same registry; changes made through this one take effect only via the journal.
    package func writing(through journal: any RegistryJournal) -> MemoryRegistry {
        MemoryRegistry(contents, time: time, random: random, journal: journal)
    }

    var seconds: UInt32 { UInt32(clamping: time.now.milliseconds / 1_000) }
    func nextTag() -> UInt32 { UInt32(truncatingIfNeeded: random.next()) }

    func read<Answer>(_ app: AppID, body: (MemoryRegistryApp) -> Answer) throws(StoreError) -> Answer {
        try contents.withLock { contents throws(StoreError) in
            try contents.checkReady()
            return body(contents.apps[app] ?? MemoryRegistryApp())
        }
    }

    func write<Answer>(
        _ app: AppID, body: (inout MemoryRegistryApp) throws(StoreError) -> Answer
    ) throws(StoreError) -> Answer {
        try contents.withLock { contents throws(StoreError) in
            try contents.checkReady()
            return try body(&contents.apps[app, default: MemoryRegistryApp()])
        }
    }

    /// The result of an operation, and the changes to one device.
    struct Decision<Answer> {
        let answer: Answer
        /// Counts that begin before the changes.
        var beginnings: [RegistryChange] = []
        var changes: [RegistryChange] = []
    }

    /// Decides and applies in one step; with a journal other changes may come in between, and the log's order decides.
    func perform<Answer>(
        in app: AppID, _ decide: (inout MemoryRegistryApp) throws(StoreError) -> Decision<Answer>
    ) async throws(StoreError) -> Answer {
        let decision = try write(app) { state throws(StoreError) in
            let decision = try decide(&state)
            if journal == nil { for change in decision.beginnings + decision.changes { state.apply(change) } }
            return decision
        }
        if let journal { for beginning in decision.beginnings { try await journal.commit([beginning]) } }
        if let journal, !decision.changes.isEmpty { try await journal.commit(decision.changes) }
        return decision.answer
    }

    /// For the ledger, which increments badges in the step that claims their devices.
    package func changeBadges<Answer>(in segment: SegmentID, _ body: (inout [UInt16: UInt32]) -> Answer) -> Answer {
        contents.withLock { contents in
            body(&contents.apps[segment.app, default: MemoryRegistryApp()][segment.number].badges)
        }
    }
}

extension MemoryRegistry.Contents {
    func checkReady() throws(StoreError) {
        guard isReady else { throw StoreError(.notReady, message: "the registry is being rebuilt") }
    }
}
