import PushModel
package import Store
import TaskModel
package import Topics

extension CountedTask {
    /// What a report adds to the statistics. Where it does not say when its task was to be sent, as in one of an
    /// earlier version, its creation counts, and without that its closing.
    package init(_ report: TaskReport) {
        let whole = report.counts
        let parts =
            [Part(.total, value: "", outcomes: whole)]
            + report.byPlatform.map { Part(.platform, value: $0.name, outcomes: $0.counts) }
            + report.details.places(in: report.dialect.rawValue).map {
                Part($0.dimension, value: $0.value, outcomes: whole)
            }
        self.init(
            report.task, of: report.app.owner, begins: report.details.begins ?? report.created ?? report.closed,
            closed: report.closed, parts: parts)
    }
}

extension ReportDetails {
    /// The values of a task by which all that becomes of it is counted.
    package func places(in dialect: String) -> [StatisticsPlace] {
        [StatisticsPlace(.dialect, value: dialect)]
            + topics.map { StatisticsPlace(.topic, value: $0.text) }
            + labels.all.map { StatisticsPlace(.label(name: $0.name), value: $0.value) }
            + (cohort.map { [StatisticsPlace(.cohort, value: $0.text)] } ?? [])
    }

    private var cohort: CampaignCohort? {
        method.map { CampaignCohort(campaign: labels.campaign, method: $0) }
    }
}
