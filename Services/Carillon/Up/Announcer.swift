import Glibc
import ServiceKit

/// Waits until every program is ready, announces this, and withdraws the announcement when the stop begins.
final class Announcer: Service {
    let name = "announcer"
    private let programs: [KeptProgram]
    private let limit: Duration
    private let time: any TimeSource
    private let announce: @Sendable () throws -> Void
    private let withdraw: @Sendable () -> Void
    private let stopRequest = OneTimeEvent()

    init(
        _ programs: [KeptProgram], within limit: Duration, time: any TimeSource,
        announce: @escaping @Sendable () throws -> Void, withdraw: @escaping @Sendable () -> Void
    ) {
        self.programs = programs
        self.limit = limit
        self.time = time
        self.announce = announce
        self.withdraw = withdraw
    }

    func run() async throws {
        let areReady = await areReadyInTime()
        guard !stopRequest.hasHappened else { return }
        guard areReady else { throw late() }
        try announce()
        await stopRequest.wait()
        withdraw()
    }

    func stop() {
        stopRequest.happen()
    }

    private func areReadyInTime() async -> Bool {
        await withTaskGroup(of: Bool.self) { tasks in
            defer { tasks.cancelAll() }
            tasks.addTask { [programs] in
                for program in programs { await program.hasBeenReady.wait() }
                return true
            }
            tasks.addTask { [limit, time] in
                try? await time.sleep(for: limit)
                return false
            }
            tasks.addTask { [stopRequest] in
                await stopRequest.wait()
                return false
            }
            return await tasks.next() ?? false
        }
    }

    private func late() -> UpError {
        let waited = programs.filter { !$0.hasBeenReady.hasHappened }
            .map { "\n  \($0.name): \($0.obstacle); see \($0.logFile)" }.joined()
        return UpError("not ready within \(DurationText.print(limit)):\(waited)")
    }
}
