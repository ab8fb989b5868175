import PushModel
import ServiceKit
import Topics

extension AudienceChunk {
    /// Start of the devices' own life; nil for that of the task.
    var begins: Timestamp? { timing.begins.map { Timestamp(milliseconds: $0) } }

    /// Retry orders that bring the chunk's devices with these contents again at `due`.
    func orders(due: Timestamp, where isMeant: (ContentNumber) -> Bool) -> [RetryOrder] {
        segments.flatMap { part in
            var devices: [PushProtocol: [RetryOrder.Device]] = [:]
            for (position, offset) in part.offsets.enumerated() where isMeant(part.content(at: position)) {
                // Undecodable records are reported by the renderer once it has the content.
                let head = Device.PackedHead(part.record(at: position))
                devices[head?.kind ?? .http, default: []].append(
                    RetryOrder.Device(
                        offset: offset, tag: head?.tag ?? 0, isSilent: part.isSilent[position],
                        content: part.content(at: position)))
            }
            return devices.sorted { $0.key.rawValue < $1.key.rawValue }.map { provider, devices in
                RetryOrder(
                    task: task, segment: SegmentID(app, number: part.segment), provider: provider, attempt: attempt,
                    due: due.milliseconds, timing: timing, devices: devices)
            }
        }
    }
}
