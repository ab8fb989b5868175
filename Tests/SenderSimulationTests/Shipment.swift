import PushModel
import ServiceKit
import TestSupport
import Topics

/// Devices of one task, in chunks as the renderer produces them.
struct Shipment: Sendable {
    struct Addressee: Sendable {
        let index: DeviceIndex
        var device: Device
    }

    let task: TaskID
    let app: AppID
    var addressees: [Addressee]
    var lane = Lane.bulk
    var renderer = Renderer()
    var isAtMostOnce = false
    var devicesPerChunk = 200

    init(_ app: AppID, task: UInt64 = 1, addressees: [Addressee]) {
        self.app = app
        self.task = TaskID(high: 7, low: task)
        self.addressees = addressees
    }

    /// Creates devices that are in no registry, with indexes from zero.
    init(_ app: AppID, task: UInt64 = 1, tokens: [PushToken]) {
        let addressees = tokens.enumerated().map { place, token in
            Addressee(
                index: DeviceIndex(rawValue: UInt32(place)),
                device: Device(tag: UInt32(place), token: token, created: 1_700_000_000))
        }
        self.init(app, task: task, addressees: addressees)
    }

    var count: Int { addressees.count }

    /// The id of the device in results.
    func resultID(_ place: Int) -> String {
        let addressee = addressees[place]
        return "\(task)/\(DeviceID(index: addressee.index, tag: addressee.device.tag))"
    }

    var marks: [(segment: SegmentID, offsets: SegmentSet)] {
        Dictionary(grouping: addressees, by: \.index.segment).map { segment, members in
            (SegmentID(app, number: segment), SegmentSet(members.map(\.index.offset)))
        }
    }

    func chunks() -> [DispatchChunk] {
        Dictionary(grouping: addressees, by: \.index.segment).sorted { $0.key < $1.key }.flatMap { segment, members in
            stride(from: 0, to: members.count, by: devicesPerChunk).map { start in
                var devices = SegmentDevices(segment: segment)
                for member in members[start..<min(start + devicesPerChunk, members.count)] {
                    devices.append(
                        offset: member.index.offset, variant: Renderer.place(of: member.device), device: member.device)
                }
                return renderer.chunk(
                    task, app: app, lane: lane, attempt: 0, repeatsUnknown: !isAtMostOnce, segments: [devices])
            }
        }
    }
}

extension PushToken {
    /// Returns numbered tokens. `trouble` is a prefix that tells the simulator what to answer; `endpoint` is the start
    /// of tokens that are addresses.
    static func numbered(
        _ kind: PushProtocol, numbers: Range<Int>, trouble: String = "", endpoint: String = ""
    ) throws -> [PushToken] {
        try numbers.map { number in
            if DispatchFamily(kind) == .web {
                return try PushToken(kind, text: "\(endpoint)\(trouble.isEmpty ? "device" : trouble)-\(number)")
            }
            let isHexadecimal = kind == .apns
            let beginning = isHexadecimal ? trouble : (trouble.isEmpty ? "device" : trouble) + "-"
            let digits = String(number, radix: isHexadecimal ? 16 : 10)
            let zeros = String(repeating: "0", count: 64 - beginning.utf8.count - digits.utf8.count)
            return try PushToken(kind, text: beginning + zeros + digits)
        }
    }
}
