import ServiceKit
import Synchronization

/// Detects the line with which a program reports that it is ready.
final class ReadyLine: Sendable {
    let event = OneTimeEvent()
    private let readiness: ProgramPlan.Readiness
    private let found = Mutex("")

    init(_ readiness: ProgramPlan.Readiness) {
        self.readiness = readiness
    }

    var line: String { found.withLock { $0 } }

    func hear(_ line: String) {
        guard case .line(let matches) = readiness, !event.hasHappened, matches(line) else { return }
        found.withLock { $0 = line }
        event.happen()
    }
}
