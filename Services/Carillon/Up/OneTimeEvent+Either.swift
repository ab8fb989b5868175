import ServiceKit

extension OneTimeEvent {
    /// Returns when one of the two has happened, or the task is cancelled.
    static func either(_ first: OneTimeEvent, _ second: OneTimeEvent) async {
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask { await first.wait() }
            tasks.addTask { await second.wait() }
            await tasks.next()
            tasks.cancelAll()
        }
    }
}
