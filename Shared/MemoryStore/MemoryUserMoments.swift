package import PushModel
package import ServiceKit
package import Store
import Synchronization

/// The moments of users in memory.
package final class MemoryUserMoments: UserMoments, Revertible {
    private struct User {
        var moment: Timestamp?
        var tasks: [(task: TaskID, end: Timestamp)] = []
    }

    private let time: any TimeSource
    private let users = Mutex<[UserKey: User]>([:])

    package init(time: any TimeSource) {
        self.time = time
    }

    package func enter(_ task: TaskID, until end: Timestamp, of user: UserKey) -> Timestamp? {
        change(user) { entry, now in
            let isKnown = entry.tasks.contains { $0.task == task }
            if !isKnown, end > now, entry.tasks.count < UserMomentBounds.tasksMaximum {
                entry.tasks.append((task, end))
            }
            return entry.moment
        }
    }

    package func leave(_ tasks: [TaskID], of user: UserKey) {
        change(user) { entry, _ in entry.tasks.removeAll { tasks.contains($0.task) } }
    }

    package func begin(until end: Timestamp, of user: UserKey) -> [TaskID] {
        change(user) { entry, now in
            entry.moment = end > now ? end : nil
            return entry.tasks.map(\.task)
        }
    }

    package func end(of user: UserKey) {
        change(user) { entry, _ in entry.moment = nil }
    }

    /// What is over is dropped first.
    private func change<Answer>(_ user: UserKey, _ body: (inout User, Timestamp) -> Answer) -> Answer {
        let now = time.now
        return users.withLock { users in
            var entry = users[user] ?? User()
            if let moment = entry.moment, moment <= now { entry.moment = nil }
            entry.tasks.removeAll { $0.end <= now }
            defer { users[user] = entry.moment == nil && entry.tasks.isEmpty ? nil : entry }
            return body(&entry, now)
        }
    }

    package func savedState() -> @Sendable () -> Void {
        let saved = users.withLock { $0 }
        return { self.users.withLock { $0 = saved } }
    }
}
