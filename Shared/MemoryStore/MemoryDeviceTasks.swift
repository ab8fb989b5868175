package import PushModel
package import ServiceKit
import Store
import Synchronization

/// The last tasks of devices in memory.
package final class MemoryDeviceTasks: DeviceTasks, Revertible {
    private struct Place: Hashable {
        let app: AppID
        let device: DeviceIndex
    }

    private struct Entry {
        let task: TaskID
        let closed: Timestamp
    }

    private let time: any TimeSource
    private let entries = Mutex<[Place: [Entry]]>([:])

    package init(time: any TimeSource) {
        self.time = time
    }

    package func enter(_ task: TaskID, closed: Timestamp, under devices: [DeviceIndex], of app: AppID) {
        entries.withLock { entries in
            for device in devices {
                let place = Place(app: app, device: device)
                var known = fresh(entries[place, default: []])
                guard !known.contains(where: { $0.task == task }) else { continue }
                known.append(Entry(task: task, closed: closed))
                entries[place] = Array(
                    known.sorted { $0.closed < $1.closed }.suffix(DeviceTaskBounds.countMaximum))
            }
        }
    }

    package func tasks(of device: DeviceIndex, in app: AppID) -> [TaskID] {
        entries.withLock { fresh($0[Place(app: app, device: device)] ?? []).reversed().map(\.task) }
    }

    package func forget(_ device: DeviceIndex, in app: AppID) {
        entries.withLock { $0[Place(app: app, device: device)] = nil }
    }

    private func fresh(_ entries: [Entry]) -> [Entry] {
        let oldest = time.now + (.zero - DeviceTaskBounds.retention)
        return entries.filter { $0.closed > oldest }
    }

    package func savedState() -> @Sendable () -> Void {
        let saved = entries.withLock { $0 }
        return { self.entries.withLock { $0 = saved } }
    }
}
