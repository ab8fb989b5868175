import JSONKit
import LocalTime
import ServiceKit
import TaskModel

/// When an accepted task is sent, as `POST /v1/tasks` reads it. A time that is over is left out: the form would be
/// refused.
struct AcceptedTiming {
    private(set) var members: [(name: String, value: JSON)] = []
    private(set) var omitted: [String] = []

    init(_ task: PushTask, at now: Timestamp) {
        if let local = task.rules.localTime {
            add("send_at_local", text: local.latestInstant > now ? "\(local)" : nil)
            return
        }
        let begins = task.window.map { $0.opens > task.created ? $0.opens : nil } ?? task.sendAt
        if let begins { add("send_at", text: begins > now ? "\(begins)" : nil) }
        guard let window = task.window else { return }
        let length = window.ends - window.opens
        add("deliver_within", text: DeliveryWindow.lengths.contains(length) ? DurationText.print(length) : nil)
        guard DeliveryWindow.lengths.contains(length) else { return }
        add("method", text: window.isCompared ? "compare" : window.method.rawValue)
    }

    private mutating func add(_ name: String, text: String?) {
        guard let text else {
            omitted.append(name)
            return
        }
        members.append((name, .string(text)))
    }
}
