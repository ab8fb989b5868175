import CommandKit
import JSONKit
import ServiceKit
import TaskModel

/// Live Activities as the API reports them, for people.
enum ActivityTable {
    private static let charactersMaximum = 120
    /// The beginning of a token is enough to recognize it.
    private static let tokenCharactersMaximum = 16
    private static let none = "–"

    static func list(_ activities: [JSON]) -> Table {
        Table(
            header: ["ACTIVITY", "TYPE", "STATE", "BEGUN", "CHANGED"],
            rows: activities.map { activity in
                ["id", "type", "state", "begun", "changed"].map { text(activity[$0]) }
            })
    }

    static func details(_ activity: JSON) -> String {
        let fields = [
            ("activity", "id"), ("type", "type"), ("state", "state"), ("begun", "begun"), ("changed", "changed"),
            ("ended", "ended"), ("updates", "updates"), ("mirror", "mirror"), ("attributes", "attributes"),
            ("content state", "content_state"), ("stale", "stale_date"), ("dismissed", "dismissal_date"),
        ]
        let publications = (activity["publications"]?.elements ?? []).map(publication)
        return Table(
            rows: fields.map { [$0.0, text(activity[$0.1])] } + [
                ["publications", publications.isEmpty ? none : publications.joined(separator: "\n")],
                ["pending", pending(activity["pending"])],
                ["budget", "\(activity.count("urgent_this_hour") ?? 0) of high priority this hour"],
            ]
        ).text
    }

    static func devices(_ devices: [JSON]) -> Table {
        Table(
            header: ["DEVICE", "USER", "PROTOCOL", "ENVIRONMENT", "REGISTERED", "LAST", "TIMESTAMP", "TASK", "TOKEN"],
            rows: devices.map { device in
                ["device", "user", "protocol", "environment", "registered"].map { text(device[$0]) }
                    + [
                        text(device["last"]?["state"]), time(device["last"]?["timestamp"]),
                        text(device["last"]?["task"]), text(device["token"], charactersMaximum: tokenCharactersMaximum),
                    ]
            })
    }

    private static func publication(_ publication: JSON) -> String {
        "\(text(publication["task"])) \(time(publication["timestamp"])) \(text(publication["priority"])) priority"
    }

    private static func pending(_ pending: JSON?) -> String {
        guard let task = pending?["task"] else { return none }
        return "\(text(task)) due \(text(pending?["due"]))"
    }

    private static func time(_ seconds: JSON?) -> String {
        guard case .integer(let seconds) = seconds, 0...Int64(ActivityState.secondsMaximum) ~= seconds else {
            return none
        }
        return "\(Timestamp(milliseconds: seconds * 1_000))"
    }

    private static func text(_ value: JSON?, charactersMaximum: Int = charactersMaximum) -> String {
        guard let value, value != .null else { return none }
        return VisibleBytes(isRaw: false).line(value.text ?? value.compactText, charactersMaximum: charactersMaximum)
    }
}
