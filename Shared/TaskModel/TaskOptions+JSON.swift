package import JSONKit
import ServiceKit

/// Options as publishers write them, for a task and for single platforms.
extension JSONFields {
    package func timeToLive(_ name: String) -> Duration? {
        text(name, expected: "a duration from 0s to 28d, such as 30m, 12h or 7d") { text in
            DurationText.parse(text).flatMap { TaskOptions.timeToLiveAllowed ~= $0 ? $0 : nil }
        }
    }

    func collapseID(_ name: String) -> String? {
        text(name, expected: TaskOptions.collapseIDRule) { TaskOptions.isCollapseID($0) ? $0 : nil }
    }
}
