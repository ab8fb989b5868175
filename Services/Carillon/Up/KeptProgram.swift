import Glibc
import ServiceKit
import Synchronization

/// Keeps one program running: starts it once those it needs are ready, and again when it ends by itself.
final class KeptProgram: Service {
    private struct State {
        var process: ChildProcess?
        var isStopping = false
        /// Its end was asked for, so that it comes back with other settings.
        var isBeingReplaced = false
        var obstacle: String?
    }

    /// What all programs of one `carillon up` share.
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
    /// Who takes longer to be ready is named.
    private static let slowStart = Duration.seconds(20)
    private static let linesKept = 20

    let plan: ProgramPlan
    /// Happens when it is ready for the first time.
    let hasBeenReady = OneTimeEvent()
    private let shared: Shared
    private let needs: [KeptProgram]
    /// Called whenever it is ready, with the line that said so, before others hear of it.
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
    /// Nil while there is none: the number of one that has ended may be another process' by now.
    var processID: pid_t? { state.withLock { $0.process.flatMap { $0.ending == nil ? $0.processID : nil } } }

    /// Why it is not ready, as far as it has said so.
    var obstacle: String { state.withLock { $0.obstacle } ?? "it has not said why" }

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

    /// Asks it to end; `run` returns when it has.
    func stop() {
        state.withLock { state in
            state.isStopping = true
            state.process?.signal(SIGTERM)
        }
        stopRequest.happen()
    }

    /// Ends it in good order and starts it again, with the settings that are right now.
    func replace() {
        state.withLock { state in
            // One that is about to be started reads the new settings anyway.
            guard let process = state.process, process.ending == nil else { return }
            state.isBeingReplaced = true
            process.signal(SIGTERM)
        }
    }

    private struct Launch {
        let process: ChildProcess
        let said: ReadyLine
    }

    /// Nil when the stop was asked for before.
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
            // When it starts and when it ends, redis-server calls everything a warning.
            if plan.dialect == .service || hasBeenReady.hasHappened && !stopRequest.hasHappened {
                report.hear(line, of: plan.name, in: plan.dialect, file: log.path)
            }
        }
        return try state.withLock { state in
            guard !state.isStopping else { return nil }
            // Asked under the lock: whoever replaces it changed the settings before, and sees this process or none.
            let process = try ChildProcess(
                plan.path, arguments: plan.arguments, environment: plan.environment(), options: options)
            state.process = process
            return Launch(process: process, said: said)
        }
    }

    /// Throws when what should be done once it was ready failed.
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
        // Cancelled is who did not end in time.
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
            \(name) died (\(KeptProgram.text(ending))), is started again in \(KeptProgram.seconds(pause)); see \(log.path)
            """)
        _ = await stopRequest.wait(atMost: pause, time: shared.time)
    }

    private func reportStop(_ ending: ChildProcess.Ending?) {
        guard ending != .exited(0) else { return }
        shared.report.tell("\(name) did not end in good order (\(KeptProgram.text(ending)))")
    }

    private func givenUp(_ process: ChildProcess, ending: ChildProcess.Ending?) -> UpError {
        shared.report.tell("\(name) is given up, and everything ends")
        let words = process.lines.map { "  " + VisibleBytes(isRaw: false).line($0, charactersMaximum: 400) }
        return UpError(
            """
            \(name) ends again and again (\(KeptProgram.text(ending))) and is given up; its last lines, of \(log.path):
            \(words.isEmpty ? "  it said nothing" : words.joined(separator: "\n"))
            """)
    }
}

extension KeptProgram {
    private static func text(_ ending: ChildProcess.Ending?) -> String {
        switch ending {
        case .exited(let code): "exit code \(code)"
        case .signalled(let number): "signal \(number)"
        case nil: "it would not end"
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
