import PushModel
import Store
import TaskModel

/// A user as tasks name it: by its id, and by the ids and tokens of its devices.
struct UserTarget: Sendable {
    private let user: Alias
    private let devices: Set<DeviceID>
    private let tokens: Set<PushToken>

    init(_ user: Alias, devices: [RegisteredDevice]) {
        self.user = user
        self.devices = Set(devices.map(\.id))
        tokens = Set(devices.map(\.device.token))
    }

    /// True if the task is for this user alone. A list in parts is longer than the devices of a user.
    func isWhole(of task: PushTask) -> Bool {
        guard task.target.audience == nil, case .entries(let entries) = task.target.list else { return false }
        return !entries.isEmpty && entries.allSatisfy(isNamed)
    }

    private func isNamed(by entry: TargetEntry) -> Bool {
        switch entry {
        case .alias(let alias): alias == user
        case .device(let id): devices.contains(id)
        case .token(let token): tokens.contains(token)
        }
    }
}
