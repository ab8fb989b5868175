import PushModel
import ServiceKit
import Store
import TaskModel
import Topics

/// Data about a user that its deletion does not remove: it cannot be changed, or others need it.
struct RemainingData: Sendable, Equatable {
    let what: String
    let place: String
    let end: String

    static let all: [RemainingData] =
        inRedis + onTheBus + [
            RemainingData(
                what: "what was sent: to the devices, to their providers, to the app's endpoints",
                place: "outside of Carillon", end: "not known to Carillon")
        ]

    private static let inRedis = [
        RemainingData(
            what: "tasks that name the user or its devices among others, and tasks that were already being sent",
            place: "Redis",
            end: """
                at most \(days(TaskPlan.retention(isFast: false))) after the task is closed; if it is never closed, \
                \(days(TaskArchiveBounds.retention)) after its deadline
                """),
        RemainingData(
            what: """
                outcomes of tasks by device id; of tasks that are closed after this request, also that they were for \
                the device
                """,
            place: "Redis",
            end: """
                at most \(days(TaskPlan.closedRetention)) after the task is closed; for a task for up to \
                \(TargetList.atOnceMaximum) devices \(days(TaskTraceBounds.retention)) and up to a day, or what \
                CARILLON_REPORTER_TRACE_RETENTION says
                """),
        RemainingData(
            what: "fingerprints of receipts, which contain the device id only as a hash", place: "Redis",
            end: "\(TaskReceiptBounds.daysKept) days after the day on which the task began"),
        RemainingData(
            what: "the user's name, content and devices' tokens of messages whose states a webhook is told",
            place: "Redis", end: "8 days after the end of each message, and once its states are posted"),
        RemainingData(
            what: "everything removed here, as it was written before",
            place: "Redis' append-only file and snapshots; backups",
            end: "Redis has rewritten them; the backups are deleted"),
    ]

    private static let onTheBus = [
        RemainingData(
            what: "earlier registrations of the devices, and tasks that were scheduled",
            place: "with Kafka: topics \(names { $0.cleanup == .compaction })",
            end: "compacted, which takes about 8 days with the settings of carillon topics create"),
        RemainingData(
            what: "outcomes of tasks by device id", place: "topics \(names { $0.kind == .keptWork })",
            end: "7 days after each message"),
        RemainingData(
            what: "tasks with their lists, and devices with their tokens, on their way between services",
            place: "with Kafka: topics \(names { $0.kind == .work && $0.cleanup == .age(days: 7) })",
            end: "7 days after each message"),
        RemainingData(
            what: """
                reports, which name no user and no device; by device id receipts, and devices that providers removed; \
                dead letters
                """,
            place: "topics \(names { $0.cleanup == .age(days: 30) })", end: "30 days after each message"),
        RemainingData(
            what: "what was sent to topics, without their subscribers",
            place: "topics \(names { $0.cleanup == .brief })",
            end: "an hour after each message, or what CARILLON_BUS_EVENTS_AGE says"),
    ]

    private static func names(_ isContained: (TopicDeclaration) -> Bool) -> String {
        Topics.all.filter(isContained).map(\.name).joined(separator: ", ")
    }

    private static func days(_ duration: Duration) -> String {
        "\(duration.components.seconds / 86_400) days"
    }

    var text: String {
        JSONText.object { json in
            json.member("what", what)
            json.member("where", place)
            json.member("until", end)
        }
    }
}
