import Synchronization

/// One reason why a service may not be ready, asked for with a limit. While a question has no answer, whoever asks waits
/// for the same one: probes of a check that hangs must not pile up.
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
        return question.answer.withLock { $0 } ?? .notReady("no answer within \(DurationText.print(limit))")
    }

    private func ask() -> Question {
        let question = Question()
        let former = open.withLock { open in
            defer { open = open ?? question }
            return open
        }
        if let former { return former }
        // Not awaited by whoever asks: a check that hangs holds this task, and nobody else.
        Task {
            let answer = await check()
            question.answer.withLock { $0 = answer }
            open.withLock { $0 = nil }
            question.answered.happen()
        }
        return question
    }
}
