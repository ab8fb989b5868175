import PushModel
import ServiceKit
import Store
import Synchronization

/// Writes to the store to which servers the pushes of one app are held back, so that its publisher can see it. No push
/// waits for the store: a task of its own writes what is new, at most once in two seconds, and what the store did not
/// take is written again ten seconds later, if pushes are still held back.
final class FailingServerNotes: Sendable {
    private struct Note {
        /// When the server is tried again, as uptime; nil if it does not fail any more.
        var end: Duration?
        /// As uptime; nil if the store is yet to be told.
        var writtenAt: Duration?

        /// True if the store has forgotten it by itself.
        func hasEnded(at now: Duration) -> Bool {
            guard writtenAt != nil, let end else { return false }
            return now >= end + FailingServerBounds.memory
        }

        /// True if the store is to be told again.
        func isDue(at now: Duration) -> Bool {
            writtenAt.map { now - $0 >= FailingServerNotes.repeatInterval } ?? false
        }
    }

    private struct State {
        var notes: [String: Note] = [:]
        var isWriting = false
    }

    private static let interval = Duration.seconds(2)
    private static let repeatInterval = Duration.seconds(10)
    private let app: AppID
    private let store: any FailingServers
    private let time: any TimeSource
    private let state = Mutex(State())

    init(of app: AppID, store: any FailingServers, time: any TimeSource) {
        self.app = app
        self.store = store
        self.time = time
    }

    /// Servers beyond the bound are left out until others have ended or recovered.
    func add(_ origin: PushOrigin, for pause: Duration) {
        guard let server = origin.authority else { return }
        let now = time.uptime
        change { notes in
            if notes[server] == nil, notes.count >= FailingServerBounds.serversMaximum {
                notes = notes.filter { !$0.value.hasEnded(at: now) }
                guard notes.count < FailingServerBounds.serversMaximum else { return }
            }
            let end = now + pause
            if let note = notes[server], note.end == end, !note.isDue(at: now) { return }
            notes[server] = Note(end: end)
        }
    }

    func remove(_ origin: PushOrigin) {
        guard let server = origin.authority else { return }
        change { notes in
            if notes[server]?.end != nil { notes[server] = Note(end: nil) }
        }
    }

    /// The caller may hold a lock.
    private func change(_ body: (inout [String: Note]) -> Void) {
        let hasBegun = state.withLock { state in
            body(&state.notes)
            guard !state.isWriting, state.notes.values.contains(where: { $0.writtenAt == nil }) else { return false }
            state.isWriting = true
            return true
        }
        if hasBegun { Task { await write() } }
    }

    private func write() async {
        while let (failing, ended) = takeUnwritten() {
            if !ended.isEmpty { try? await store.remove(ended, of: app) }
            if !failing.isEmpty { try? await store.note(failing, of: app) }
            try? await time.sleep(for: FailingServerNotes.interval)
        }
    }

    /// Nil if there is nothing to write, which ends the writing.
    private func takeUnwritten() -> (failing: [String: Duration], ended: [String])? {
        let now = time.uptime
        return state.withLock { state in
            let unwritten = state.notes.filter { $0.value.writtenAt == nil }
            guard !unwritten.isEmpty else {
                state.isWriting = false
                return nil
            }
            for server in unwritten.keys { state.notes[server]?.writtenAt = now }
            state.notes = state.notes.filter { $0.value.end != nil }
            let failing = unwritten.compactMapValues { note in note.end.map { $0 - now } }
            return (failing, unwritten.keys.filter { failing[$0] == nil })
        }
    }
}
