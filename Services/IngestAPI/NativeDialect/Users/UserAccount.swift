import PushModel
import ServiceKit

/// What the deletion of a user removed, and what stays.
struct UserAccount: Sendable, Equatable {
    let user: Alias
    var devicesRemoved = 0
    var tasksCancelled = 0
    /// False if devices were registered for the user until the end.
    var hasAllDevices = true
    /// False if the app has scheduled tasks that were not read.
    var hasAllTasks = true

    init(user: Alias) {
        self.user = user
    }

    var isComplete: Bool { hasAllDevices && hasAllTasks }

    var text: String {
        let stays = RemainingData.all.map(\.text).joined(separator: ",")
        return JSONText.object { json in
            json.member("user", user.value)
            json.member("devices_removed", devicesRemoved)
            json.member("tasks_cancelled", tasksCancelled)
            json.member("complete", isComplete)
            if !isComplete { json.member("detail", detail) }
            json.member("stays", json: "[\(stays)]")
        }
    }

    private var detail: String {
        hasAllDevices
            ? "Not all scheduled tasks of the app were read. Those that name only this user find no device."
            : "Devices are still being registered for this user. Sign the user out, and repeat the request."
    }
}
