package import PushModel
package import ServiceKit

/// The last tasks of each device, of closed tasks for few. The others are found by their ledgers.
package protocol DeviceTasks: Sendable {
    /// Enters a closed task under each of its devices. A repeat changes nothing.
    /// Throws `full` if the store is; callers then continue.
    func enter(
        _ task: TaskID, closed: Timestamp, under devices: [DeviceIndex], of app: AppID
    ) async throws(StoreError)
    /// At most `DeviceTaskBounds.countMaximum`, the last closed first.
    func tasks(of device: DeviceIndex, in app: AppID) async throws(StoreError) -> [TaskID]
    /// Removes the tasks of a device. A task that is closed afterwards is entered as usual.
    func forget(_ device: DeviceIndex, in app: AppID) async throws(StoreError)
}

package enum DeviceTaskBounds {
    /// Tasks remembered for a device; a further one takes the place of the one that was closed first.
    package static let countMaximum = 8
    /// After a task was closed.
    package static let retention = Duration.seconds(7 * 86_400)
}
