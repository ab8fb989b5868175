import ServiceKit
import Store

/// Holds the first commit until it is released; later ones pass.
final class HeldJournal: RegistryJournal {
    private let journal: any RegistryJournal
    private let isFirst = Monitor(true)
    private let arrival = OneTimeEvent()
    private let release = OneTimeEvent()

    init(_ journal: any RegistryJournal) {
        self.journal = journal
    }

    /// Returns once the first commit is held.
    func arrived() async { await arrival.wait() }
    func letGo() { release.happen() }

    func commit(_ changes: [RegistryChange]) async throws(StoreError) {
        let isHeld = isFirst.change { isFirst in
            defer { isFirst = false }
            return isFirst
        }
        if isHeld {
            arrival.happen()
            await release.wait()
        }
        try await journal.commit(changes)
    }
}
