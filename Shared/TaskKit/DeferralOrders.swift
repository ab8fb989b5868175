package import PushModel
import ServiceKit
package import Store
package import Topics

/// The orders that release deferred devices of one segment: one for each deferral and provider.
///
/// They must be durable before the ledger defers the devices. An order of a device that is not deferred in the end is
/// refused by its claim.
package struct DeferralOrders: Sendable {
    package let task: TaskID
    package let segment: SegmentID

    package init(of task: TaskID, in segment: SegmentID) {
        self.task = task
        self.segment = segment
    }

    /// The life of the devices begins when they are due. `silent` are those that receive no alert, `contents` those of
    /// devices that do not get the task's own.
    package func orders(
        _ deferrals: [Deferral], devices: PackedDevices, silent: SegmentSet, contents: [UInt16: ContentNumber] = [:]
    ) -> [RetryOrder] {
        guard !deferrals.isEmpty else { return [] }
        var numbers: [UInt16: Int] = [:]
        for (number, deferral) in deferrals.enumerated() {
            for offset in deferral.offsets { numbers[offset] = number }
        }
        var parts = deferrals.map { _ in [PushProtocol: [RetryOrder.Device]]() }
        for (position, offset) in devices.offsets.enumerated() {
            guard let number = numbers[offset] else { continue }
            // An unreadable record is reported by the renderer.
            let head = Device.PackedHead(devices.record(at: position))
            parts[number][head?.kind ?? .http, default: []].append(
                RetryOrder.Device(
                    offset: offset, tag: head?.tag ?? 0, isSilent: silent.contains(offset),
                    content: contents[offset] ?? .ofTask))
        }
        return zip(deferrals, parts).flatMap { deferral, providers in
            providers.sorted { $0.key.rawValue < $1.key.rawValue }.map { provider, devices in
                let due = deferral.due.milliseconds
                return RetryOrder(
                    task: task, segment: segment, provider: provider, attempt: 0, due: due,
                    timing: DeviceTiming(deferral: deferral.cause, begins: due), devices: devices)
            }
        }
    }
}
