import PushModel
package import Store
import TaskModel
package import Topics

extension CountedTask {
    /// What a report adds to the statistics. Where it does not say when its task was to be sent, as in one of an earlier
    /// version, its creation counts, and without that its closing.
    package init(_ report: TaskReport) {
        let whole = report.counts
        var parts = [
            Part(.total, value: "", outcomes: whole), Part(.dialect, value: report.dialect.rawValue, outcomes: whole),
        ]
        parts += report.byPlatform.map { Part(.platform, value: $0.name, outcomes: $0.counts) }
        parts += report.details.topics.map { Part(.topic, value: $0.text, outcomes: whole) }
        parts += report.details.labels.all.map { Part(.label(name: $0.name), value: $0.value, outcomes: whole) }
        self.init(
            report.task, of: report.app, begins: report.details.begins ?? report.created ?? report.closed,
            closed: report.closed, parts: parts)
    }
}
