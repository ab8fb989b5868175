import PushModel
import ServiceKit
import TaskModel
import Topics

/// A variant with a number that is unique within its source. Shared, since every device passes one.
final class NumberedVariant: Sendable {
    let number: Int
    let variant: RenderedVariant
    /// Of the devices that get it.
    let deadline: Timestamp
    /// True if each of them gets its own badge count.
    let countsBadge: Bool

    init(number: Int, _ variant: RenderedVariant, deadline: Timestamp, countsBadge: Bool) {
        self.number = number
        self.variant = variant
        self.deadline = deadline
        self.countsBadge = countsBadge
    }
}

/// Collects one family's devices into chunks within the limits of devices, variants and bytes, each with one deadline.
/// The devices of a segment must be appended consecutively.
struct DispatchSplit {
    private static let headBytes = 128
    private static let segmentBytes = 4 + 3
    /// Offset, variant, environment, tag, time of registration, and the length of the token.
    private static let deviceBytes = 2 + 1 + 1 + 4 + 4 + 3
    private static let variantsMaximum = Int(DispatchSplit.nowhere)
    private static let nowhere = UInt8.max

    private let source: AudienceChunk
    private let task: PushTask
    private let countsBadge: Bool
    private var full: [DispatchChunk] = []
    private var variants: [RenderedVariant] = []
    /// Positions in the open chunk, by the number of the variant.
    private var places: [UInt8] = []
    private var segments: [SegmentDevices] = []
    /// Of the open chunk's devices.
    private var deadline: Timestamp?
    private var count = 0
    private var bytes = DispatchSplit.headBytes

    init(_ source: AudienceChunk, task: PushTask, countsBadge: Bool) {
        self.source = source
        self.task = task
        self.countsBadge = countsBadge
    }

    mutating func append(
        _ device: DeviceGlance, token: String, at offset: UInt16, of segment: SegmentNumber,
        variant: NumberedVariant
    ) {
        let keys = device.kind == .webpush ? device.webPushKeys : nil
        let keyBytes = keys == nil ? 1 : 1 + WebPushKeys.packedBytes
        let size = DispatchSplit.segmentBytes + DispatchSplit.deviceBytes + token.utf8.count + keyBytes
        if deadline != variant.deadline { closeChunk() }
        let place = makeRoom(for: variant, beside: size)
        deadline = variant.deadline
        if segments.last?.segment != segment { segments.append(SegmentDevices(segment: segment)) }
        segments[segments.count - 1].append(
            offset: offset, variant: place, isSandbox: device.isSandbox, tag: device.tag, updated: device.updated,
            token: token, webPushKeys: keys)
        count += 1
        bytes += size
    }

    mutating func chunks() -> [DispatchChunk] {
        closeChunk()
        return full
    }

    /// Returns the variant's position in a chunk that has room for one more device.
    private mutating func makeRoom(for variant: NumberedVariant, beside size: Int) -> UInt8 {
        let isFull = count == DispatchChunk.devicesMaximum || bytes + size > Topics.messageBytesMaximum
        let known = variant.number < places.count ? places[variant.number] : DispatchSplit.nowhere
        if !isFull, known != DispatchSplit.nowhere { return known }
        let added = variant.variant.byteCount
        if isFull || variants.count == DispatchSplit.variantsMaximum
            || bytes + size + added > Topics.messageBytesMaximum
        {
            closeChunk()
        }
        while places.count <= variant.number { places.append(DispatchSplit.nowhere) }
        let place = UInt8(variants.count)
        places[variant.number] = place
        variants.append(variant.variant)
        bytes += added
        return place
    }

    private var cap: ChunkCap? {
        task.rules.cap.map { ChunkCap($0, latest: task.rules.latestCapEnd(of: task.begins)?.milliseconds) }
    }

    /// Only where a payload has room for a proof.
    private var receiptKey: TaskReceiptKey? {
        variants.contains { $0.payload.slots.contains(.proof) } ? task.receiptKey : nil
    }

    private var activity: ChunkActivity? {
        task.content.activity.map { ChunkActivity($0.event, of: $0.activity, timestamp: $0.timestamp) }
    }

    private mutating func closeChunk() {
        guard count > 0, let deadline else { return }
        full.append(
            DispatchChunk(
                task: source.task, app: source.app, lane: source.lane, attempt: source.attempt,
                timing: source.timing, cap: cap, accepted: task.begins.milliseconds,
                deadline: deadline.milliseconds, countsBadge: countsBadge,
                repeatsUnknown: task.options.ambiguity == .atLeastOnce,
                rates: task.rules.rates(of: task.id, in: task.app), receiptKey: receiptKey,
                activity: activity, variants: variants, segments: segments))
        variants = []
        places = []
        segments = []
        self.deadline = nil
        count = 0
        bytes = DispatchSplit.headBytes
    }
}
