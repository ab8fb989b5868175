import CommandKit
import ServiceKit
import Synchronization

/// Output of `carillon up` on the terminal, one line per event.
final class UpReport: Sendable {
    private let terminal: any Terminal
    private let usesStandardError: Bool
    private let time: any TimeSource
    private let state = Mutex(State())

    private struct State {
        var gate = RemarkGate()
        var echoes = RemarkEchoes()
        /// Everything is being stopped because a program failed, which the last line explains.
        var hasFailed = false
    }

    /// Services that make the same remark make it within this time.
    private static let echoTime = Duration.seconds(3)

    /// `usesStandardError` reserves standard output for the one line that a script waits for.
    init(_ terminal: any Terminal, usesStandardError: Bool, time: any TimeSource) {
        self.terminal = terminal
        self.usesStandardError = usesStandardError
        self.time = time
    }

    func say(_ text: String) {
        if usesStandardError { terminal.complain(text) } else { terminal.print(text) }
    }

    /// Prints an event while the pipeline runs. It goes to standard error: a reader may close standard output after the
    /// start, which must not end the pipeline.
    func tell(_ text: String) {
        terminal.complain("\(time.now.description.dropFirst(11).prefix(8)) \(text)")
    }

    /// Announces that everything is stopped because a program failed; what follows from that is not shown.
    func tellFailure(of program: String) {
        let isFirst = state.withLock { state in
            defer { state.hasFailed = true }
            return !state.hasFailed
        }
        if isFirst { tell("\(program) is not restarted; stopping everything") }
    }

    func tellUnlessFailed(_ text: String) {
        if !state.withLock({ $0.hasFailed }) { tell(text) }
    }

    /// Prints a line of a program's log if it is a warning or an error and no other program has just said the same.
    /// What a crash prints during the start is part of the error that ends the command.
    func hear(_ line: String, of program: String, in dialect: LogRemark.Dialect, file: String, isStarting: Bool) {
        guard let remark = LogRemark(line, in: dialect), remark.isLogged || !isStarting else { return }
        let uptime = time.uptime
        let (verdict, echo) = state.withLock { state -> (RemarkGate.Verdict, RemarkEchoes.Verdict) in
            guard !state.hasFailed else { return (.hide, .new) }
            let echo = state.echoes.judge(remark, of: program, at: uptime)
            return (echo == .new ? state.gate.judge(program, at: uptime) : .hide, echo)
        }
        switch verdict {
        case .show: tell("\(program) \(styled(remark.text))")
        case .sayThereIsMore: tell("\(program) logs more than is shown here; see \(file)")
        case .hide: break
        }
        if echo == .echo(isFirst: true) { summarizeLater(remark, folder: folder(of: file)) }
    }

    /// The others follow within seconds.
    private func summarizeLater(_ remark: LogRemark, folder: String) {
        Task { [self] in
            guard (try? await time.sleep(for: UpReport.echoTime)) != nil else { return }
            let others = state.withLock { $0.echoes.others(of: remark) }
            if !others.isEmpty { tellUnlessFailed("the same from \(RemarkEchoes.text(others)); see \(folder)") }
        }
    }

    private func folder(of file: String) -> String {
        file.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    }

    /// Its level in color.
    private func styled(_ text: String) -> String {
        let level = text.prefix { $0 != ":" }
        let style: TextStyle? = level == "error" ? .red : level == "warning" ? .yellow : nil
        guard let style else { return text }
        return terminal.complaintStyling.apply(style, to: String(level)) + text.dropFirst(level.count)
    }
}
