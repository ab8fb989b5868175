import PushModel
import ServiceKit
import Topics

extension AudienceChunk {
    /// What brings its devices again when it is due.
    func orders(due: Timestamp) -> [RetryOrder] {
        segments.flatMap { part in
            var devices: [PushProtocol: [RetryOrder.Device]] = [:]
            for (position, offset) in part.offsets.enumerated() {
                // Of a record that cannot be read the renderer tells, once it has the content.
                let head = Device.PackedHead(part.record(at: position))
                devices[head?.kind ?? .http, default: []].append(
                    RetryOrder.Device(offset: offset, tag: head?.tag ?? 0, isSilent: part.isSilent[position]))
            }
            return devices.sorted { $0.key.rawValue < $1.key.rawValue }.map { provider, devices in
                RetryOrder(
                    task: task, segment: SegmentID(app, number: part.segment), provider: provider, attempt: attempt,
                    due: due.milliseconds, devices: devices)
            }
        }
    }
}
