import Synchronization

/// One readiness check, run with a time limit. While a run is pending, all callers wait for that same run, so that
/// probes of a hanging check do not pile up.
final class ReadinessCheck: Sendable {
    private final class Question: Sendable {
        let answered = OneTimeEvent()
        let answer = Mutex<Health.Readiness?>(nil)
    }

    let name: String
    private let check: @Sendable () async -> Health.Readiness
    private let open = Mutex<Question?>(nil)

    init(_ name: String, check: @escaping @Sendable () async -> Health.Readiness) {
        self.name = name
        self.check = check
    }

    func answer(within limit: Duration, time: any TimeSource) async -> Health.Readiness {
        let question = ask()
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask { await question.answered.wait() }
            tasks.addTask { try? await time.sleep(for: limit) }
            await tasks.next()
            tasks.cancelAll()
        }
        return question.answer.withLock { $0 } ?? .notReady("no reply within \(DurationText.print(limit))")
    }

    private func ask() -> Question {
        let question = Question()
        let former = open.withLock { open in
            defer { open = open ?? question }
            return open
        }
        if let former { return former }
        // Callers do not await this task, so a check that hangs blocks only itself.
        Task {
            let answer = await check()
            question.answer.withLock { $0 = answer }
            open.withLock { $0 = nil }
            question.answered.happen()
        }
        return question
    }
}
