import PushModel
import ServiceKit
import Store

struct SimulatedDeviceTasks: DeviceTasks {
    let base: any DeviceTasks
    let seam: Seam

    func enter(_ task: TaskID, closed: Timestamp, under devices: [DeviceIndex], of app: AppID) async throws(StoreError)
    {
        try await seam.call("deviceTasks.enter") { try await base.enter(task, closed: closed, under: devices, of: app) }
    }

    func tasks(of device: DeviceIndex, in app: AppID) async throws(StoreError) -> [TaskID] {
        try await seam.call("deviceTasks.tasks") { try await base.tasks(of: device, in: app) }
    }

    func forget(_ device: DeviceIndex, in app: AppID) async throws(StoreError) {
        try await seam.call("deviceTasks.forget") { try await base.forget(device, in: app) }
    }
}
