import Glibc
import ServiceKit
import Synchronization

/// Supervises one program: starts it once the programs it needs are ready, and restarts it when it exits.
final class KeptProgram: Service {
    private struct State {
        var process: ChildProcess?
        var isStopping = false
        /// It was stopped in order to restart with other settings.
        var isBeingReplaced = false
        var obstacle: String?
    }

    /// Shared by all programs of one `carillon up`.
    struct Shared: Sendable {
        let lock: DataLock
        let folder: DataFolder
        let announcement: AnnouncementFile
        let report: UpReport
        let readiness: ReadinessClient
        let time: any TimeSource
    }

    private static let restartBackoff = Backoff(first: .milliseconds(200), longest: .seconds(5))
    private static let readinessBackoff = Backoff(first: .milliseconds(50), longest: .milliseconds(500))
    /// A program that is not ready after this time is reported.
    private static let slowStart = Duration.seconds(20)
    private static let linesKept = 20

    let plan: ProgramPlan
    /// Happens when the program is ready for the first time.
    let hasBeenReady = OneTimeEvent()
    private let shared: Shared
    private let needs: [KeptProgram]
    /// Called whenever the program becomes ready, with its ready line, before this is reported.
    private let onReady: @Sendable (String) async throws -> Void
    private let log: BoundedLog
    private let stopRequest = OneTimeEvent()
    private let state = Mutex(State())

    init(
        _ plan: ProgramPlan, after needs: [KeptProgram], shared: Shared,
        onReady: @escaping @Sendable (String) async throws -> Void = { _ in }
    ) {
        self.plan = plan
        self.needs = needs
        self.shared = shared
        self.onReady = onReady
        log = BoundedLog(shared.folder.logFile(of: plan.name))
    }

    var name: String { plan.name }
    var logFile: String { log.path }
    /// Nil while it is not running: the id of an exited process may have been reused.
    var processID: pid_t? { state.withLock { $0.process.flatMap { $0.ending == nil ? $0.processID : nil } } }

    /// Last known reason why the program is not ready.
    var obstacle: String { state.withLock { $0.obstacle } ?? "no reason reported" }

    func run() async throws {
        for program in needs { await OneTimeEvent.either(program.hasBeenReady, stopRequest) }
        var policy = RestartPolicy()
        while !Task.isCancelled {
            let begun = shared.time.uptime
            guard let launch = try start() else { return }
            let process = launch.process
            defer { process.signal(SIGKILL) }
            let ending = try await ending(of: launch, since: begun)
            renewAnnouncement()
            let (isStopping, isReplaced) = state.withLock { state in
                defer { state.isBeingReplaced = false }
                return (state.isStopping, state.isBeingReplaced)
            }
            if isStopping || Task.isCancelled { return reportStop(ending) }
            if isReplaced { continue }
            switch policy.decide(after: ending, lived: shared.time.uptime - begun) {
            case .giveUp: throw givenUp(process, ending: ending)
            case .restart(let attempt): await pause(beforeRestart: attempt, ending)
            }
        }
    }

    /// Asks the program to exit; `run` returns when it has.
    func stop() {
        state.withLock { state in
            state.isStopping = true
            state.process?.signal(SIGTERM)
        }
        stopRequest.happen()
    }

    /// Stops the program gracefully and restarts it with the current settings.
    func replace() {
        state.withLock { state in
            // A program that is about to start reads the new settings anyway.
            guard let process = state.process, process.ending == nil else { return }
            state.isBeingReplaced = true
            process.signal(SIGTERM)
        }
    }

    private struct Launch {
        let process: ChildProcess
        let said: ReadyLine
    }

    /// Nil if the stop was requested before.
    private func start() throws -> Launch? {
        let said = ReadyLine(plan.readiness)
        var options = ChildProcess.Options()
        options.diesWithParent = true
        options.leadsGroup = true
        options.inherited = shared.lock.descriptor
        options.linesMaximum = KeptProgram.linesKept
        options.onLine = { [log, plan, hasBeenReady, stopRequest, report = shared.report] line in
            log.write(line: line)
            said.hear(line)
            // During start and stop redis-server logs everything as a warning.
            if plan.dialect == .service || hasBeenReady.hasHappened && !stopRequest.hasHappened {
                report.hear(
                    line, of: plan.name, in: plan.dialect, file: log.path, isStarting: !hasBeenReady.hasHappened)
            }
        }
        return try state.withLock { state in
            guard !state.isStopping else { return nil }
            // Read under the lock: a caller of `replace` changed the settings before, and sees this process or none.
            let process = try ChildProcess(
                plan.path, arguments: plan.arguments, environment: plan.environment(), options: options)
            state.process = process
            return Launch(process: process, said: said)
        }
    }

    /// Throws if `onReady` fails.
    private func ending(of launch: Launch, since begun: Duration) async throws -> ChildProcess.Ending? {
        let process = launch.process
        try await withThrowingTaskGroup(of: Bool.self) { tasks in
            defer { tasks.cancelAll() }
            tasks.addTask {
                try await self.becomeReady(launch, since: begun)
                return false
            }
            tasks.addTask {
                _ = await process.ended()
                return true
            }
            while let isOver = try await tasks.next(), !isOver {}
        }
        // A cancellation means that the program did not exit in time.
        if Task.isCancelled { process.signal(SIGKILL) }
        return await process.end(within: .seconds(10))
    }

    private func becomeReady(_ launch: Launch, since begun: Duration) async throws {
        let line: String
        switch plan.readiness {
        case .line:
            await launch.said.event.wait()
            line = launch.said.line
        case .address(let address):
            guard await isReady(at: address, since: begun) else { return }
            line = ""
        }
        guard !Task.isCancelled else { return }
        try await onReady(line)
        state.withLock { $0.obstacle = nil }
        if hasBeenReady.hasHappened {
            renewAnnouncement()
            shared.report.tell("\(name) is ready again, process \(launch.process.processID)")
        } else {
            let took = shared.time.uptime - begun
            let columns = KeptProgram.padded(name, width: 20) + KeptProgram.padded(plan.url, width: 28)
            shared.report.say("  \(columns)ready in \(KeptProgram.seconds(took))")
            hasBeenReady.happen()
        }
    }

    private func renewAnnouncement() {
        do {
            try shared.announcement.renew()
        } catch {
            shared.report.tell("\(error)")
        }
    }

    private func isReady(at address: String, since begun: Duration) async -> Bool {
        var isNamed = false
        for attempt in 1... {
            guard let obstacle = await shared.readiness.obstacle(at: address) else { return true }
            state.withLock { $0.obstacle = obstacle }
            if !isNamed, shared.time.uptime - begun >= KeptProgram.slowStart {
                shared.report.tell("\(name) is still not ready: \(obstacle)")
                isNamed = true
            }
            let pause = KeptProgram.readinessBackoff.delay(afterAttempt: attempt, random: SystemRandomSource())
            guard (try? await shared.time.sleep(for: pause)) != nil else { return false }
        }
        return false
    }

    private func pause(beforeRestart attempt: Int, _ ending: ChildProcess.Ending?) async {
        let pause = KeptProgram.restartBackoff.delay(afterAttempt: attempt, random: SystemRandomSource())
        shared.report.tell(
            """
            \(name) exited (\(KeptProgram.text(ending))), restarting in \(KeptProgram.seconds(pause)); see \(log.path)
            """)
        _ = await stopRequest.wait(atMost: pause, time: shared.time)
    }

    private func reportStop(_ ending: ChildProcess.Ending?) {
        guard ending != .exited(0) else { return }
        shared.report.tellUnlessFailed("\(name) did not stop cleanly (\(KeptProgram.text(ending)))")
    }

    private func givenUp(_ process: ChildProcess, ending: ChildProcess.Ending?) -> UpError {
        shared.report.tellFailure(of: name)
        let words = process.lines.map { "  " + VisibleBytes(isRaw: false).line($0, charactersMaximum: 400) }
        return UpError(
            """
            \(name) failed (\(KeptProgram.text(ending))) and is not restarted; last lines of \(log.path):
            \(words.isEmpty ? "  no output" : words.joined(separator: "\n"))
            """)
    }
}

extension KeptProgram {
    private static func text(_ ending: ChildProcess.Ending?) -> String {
        switch ending {
        case .exited(let code): "exit code \(code)"
        case .signalled(let number): "signal \(number)"
        case nil: "no exit status"
        }
    }

    private static func seconds(_ duration: Duration) -> String {
        let hundredths = duration.wholeMilliseconds / 10
        return "\(hundredths / 100).\(hundredths / 10 % 10)\(hundredths % 10) s"
    }

    private static func padded(_ text: String, width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }
}
