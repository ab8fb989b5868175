import PushModel
import ServiceKit
import Store
import Topics

/// Devices of one task and segment that are due for the same attempt, each once: a sender that crashed halfway may have
/// ordered a device twice, and a chunk that names it twice would be sent twice.
struct RetryGroup: Hashable, Sendable {
    /// Slots that passed longer ago are lost: many devices may be late at once, and must not be released together.
    private static let slotPatience = Duration.seconds(10)

    struct Key: Hashable {
        let task: TaskID
        let segment: SegmentID
        let attempt: UInt8
        let timing: DeviceTiming

        init(_ order: RetryOrder) {
            task = order.task
            segment = order.segment
            attempt = order.attempt
            timing = order.timing
        }
    }

    struct Member: Hashable {
        let tag: UInt32
        let isSilent: Bool
        let content: ContentNumber
        let provider: PushProtocol
    }

    let key: Key
    private(set) var members: [UInt16: Member] = [:]

    init(_ key: Key) {
        self.key = key
    }

    var offsets: SegmentSet { SegmentSet(members.keys) }

    /// Identifies the release of these devices among all of their task. A repeated lease may group orders differently.
    var stepName: String {
        let first = members.keys.min() ?? 0
        return "r\(key.segment.number.rawValue).\(key.attempt).\(key.timing.begins ?? 0).\(first).\(members.count)"
    }

    /// True if each device has a slot of the rate of its task, group or app, which has come lately.
    func hasSlots(at now: Timestamp) -> Bool {
        guard key.timing.deferral == .rate || key.timing.isPacedRetry, let begins = key.timing.begins else {
            return false
        }
        return now < Timestamp(milliseconds: begins) + RetryGroup.slotPatience
    }

    /// In the order of the first order of each.
    static func groups(of orders: [RetryOrder]) -> [RetryGroup] {
        orders.groups(by: Key.init).map { orders in
            orders.reduce(into: RetryGroup(Key(orders[0]))) { $0.add($1) }
        }
    }

    /// Returns the group with only these devices.
    func limited(to offsets: some Sequence<UInt16>) -> RetryGroup {
        var group = RetryGroup(key)
        for offset in offsets { group.members[offset] = members[offset] }
        return group
    }

    /// Returns the orders that bring these devices again, with another timing if one is given.
    func orders(due: Timestamp, timing: DeviceTiming? = nil) -> [RetryOrder] {
        let kinds = Dictionary(grouping: members.sorted { $0.key < $1.key }) { $0.value.provider }
        return kinds.sorted { $0.key.rawValue < $1.key.rawValue }.map { kind, members in
            RetryOrder(
                task: key.task, segment: key.segment, provider: kind, attempt: key.attempt, due: due.milliseconds,
                timing: timing ?? key.timing,
                devices: members.map {
                    RetryOrder.Device(offset: $0, tag: $1.tag, isSilent: $1.isSilent, content: $1.content)
                })
        }
    }

    private mutating func add(_ order: RetryOrder) {
        for device in order.devices where members[device.offset] == nil {
            members[device.offset] = Member(
                tag: device.tag, isSilent: device.isSilent, content: device.content, provider: order.provider)
        }
    }
}
