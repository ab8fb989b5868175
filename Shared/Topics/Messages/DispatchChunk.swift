package import PushModel

/// Devices of one task, rendered for one family of providers: all that a sender needs besides the ledger. Devices are
/// stored as columns, one array for each field, since a broadcast moves millions of them.
package struct DispatchChunk: TopicMessage, Hashable {
    package static let devicesMaximum = 1_000
    /// Lacks the time of acceptance.
    private static let formatBefore: UInt8 = 1
    private static let format: UInt8 = 2
    /// Has a timing.
    private static let timedFormat: UInt8 = 3
    /// Has a timing, rates, and perhaps a cap.
    private static let limitedFormat: UInt8 = 4
    /// The same, and the key of the task's receipts.
    private static let provenFormat: UInt8 = 5
    /// The same, with or without that key, and keys of browsers.
    private static let encryptedFormat: UInt8 = 6

    package let task: TaskID
    package let app: AppID
    package let lane: Lane
    /// Zero for the first attempt.
    package let attempt: UInt8
    package let timing: DeviceTiming
    /// Nil for devices that may get any number of pushes.
    package let cap: ChunkCap?
    /// Time of acceptance in milliseconds since 1970; 0 in a chunk of an earlier version.
    package let accepted: Int64
    /// Deadline for sending, that of the devices' own life if they have one, in milliseconds since 1970.
    package let deadline: Int64
    /// True if a device's first claim increments its badge.
    package let countsBadge: Bool
    /// True if a device whose delivery is unknown may be sent to again.
    package let repeatsUnknown: Bool
    /// Rates that the pushes keep: the task's, its app's, or both.
    package let rates: [PushRate]
    /// Nil if the payloads have no slot for a proof.
    package let receiptKey: TaskReceiptKey?
    package let variants: [RenderedVariant]
    package let segments: [SegmentDevices]

    package init(
        task: TaskID, app: AppID, lane: Lane, attempt: UInt8, timing: DeviceTiming = .ofTask, cap: ChunkCap? = nil,
        accepted: Int64, deadline: Int64, countsBadge: Bool, repeatsUnknown: Bool, rates: [PushRate] = [],
        receiptKey: TaskReceiptKey? = nil, variants: [RenderedVariant], segments: [SegmentDevices]
    ) {
        self.task = task
        self.app = app
        self.lane = lane
        self.attempt = attempt
        self.timing = timing
        self.cap = cap
        self.accepted = accepted
        self.deadline = deadline
        self.countsBadge = countsBadge
        self.repeatsUnknown = repeatsUnknown
        self.rates = rates
        self.receiptKey = receiptKey
        self.variants = variants
        self.segments = segments
    }

    package var deviceCount: Int { segments.reduce(0) { $0 + $1.count } }

    /// The first that can hold the chunk, so that earlier versions read what they can handle.
    private var format: UInt8 {
        if segments.contains(where: \.hasWebPushKeys) { return DispatchChunk.encryptedFormat }
        if receiptKey != nil { return DispatchChunk.provenFormat }
        if cap != nil || !rates.isEmpty { return DispatchChunk.limitedFormat }
        return timing == .ofTask ? DispatchChunk.format : DispatchChunk.timedFormat
    }

    package func encoded() -> [UInt8] {
        var bytes: [UInt8] = []
        let format = format
        TaskHead(task, app: app).write(format: format, to: &bytes)
        if format >= DispatchChunk.timedFormat { timing.write(to: &bytes) }
        if format >= DispatchChunk.limitedFormat {
            PushRate.write(rates, to: &bytes)
            bytes.append(cap == nil ? 0 : 1)
            cap?.write(to: &bytes)
        }
        if format == DispatchChunk.encryptedFormat { bytes.append(receiptKey == nil ? 0 : 1) }
        bytes.append(contentsOf: receiptKey?.bytes ?? [])
        bytes.append(attempt)
        bytes.append(integer: accepted)
        bytes.append(integer: deadline)
        bytes.append((countsBadge ? 1 : 0) | (repeatsUnknown ? 2 : 0) | (lane == .fast ? 4 : 0))
        bytes.append(variableInteger: variants.count)
        for variant in variants { variant.write(to: &bytes) }
        bytes.append(variableInteger: segments.count)
        for segment in segments { segment.write(to: &bytes) }
        if format == DispatchChunk.encryptedFormat {
            for segment in segments { segment.writeWebPushKeys(to: &bytes) }
        }
        return bytes
    }

    package init(decoding bytes: [UInt8]) throws {
        self = try ByteReader.message(bytes, name: "dispatch chunk") { DispatchChunk(from: &$0) }
    }

    /// Nil if it is malformed.
    private static func cap(from reader: inout ByteReader) -> ChunkCap?? {
        switch reader.byte() {
        case 0: .some(nil)
        case 1: ChunkCap(from: &reader).map { $0 }
        default: nil
        }
    }

    /// Nil if it is malformed.
    private static func receiptKey(format: UInt8, from reader: inout ByteReader) -> TaskReceiptKey?? {
        guard format >= provenFormat else { return .some(nil) }
        if format == encryptedFormat {
            guard let presence = reader.byte(), presence <= 1 else { return nil }
            if presence == 0 { return .some(nil) }
        }
        guard let bytes = reader.bytes(TaskReceiptKey.byteCount) else { return nil }
        return .some(TaskReceiptKey(bytes: Array(bytes)))
    }

    private init?(from reader: inout ByteReader) {
        guard let format = reader.format(in: DispatchChunk.formatBefore...DispatchChunk.encryptedFormat),
            let head = TaskHead(format: format, from: &reader),
            let timing = format < DispatchChunk.timedFormat ? .ofTask : DeviceTiming(from: &reader),
            let rates = format < DispatchChunk.limitedFormat
                ? [] : PushRate.read(from: &reader, task: head.task, app: head.app),
            let cap = format < DispatchChunk.limitedFormat ? .some(nil) : DispatchChunk.cap(from: &reader),
            let receiptKey = DispatchChunk.receiptKey(format: format, from: &reader),
            let attempt = reader.byte(),
            let accepted = format == DispatchChunk.formatBefore ? 0 : reader.integer(Int64.self),
            let deadline = reader.integer(Int64.self), let flags = reader.byte(),
            let variantCount = reader.variableInteger(), variantCount <= 256,
            let variants = reader.elements(variantCount, read: { RenderedVariant(from: &$0) }),
            let segmentCount = reader.variableInteger(), segmentCount <= DispatchChunk.devicesMaximum,
            var segments = reader.elements(segmentCount, read: { SegmentDevices(from: &$0) }),
            segments.allSatisfy({ $0.variants.allSatisfy { Int($0) < variantCount } }),
            format < DispatchChunk.encryptedFormat
                || segments.indices.allSatisfy({ segments[$0].readWebPushKeys(from: &reader) })
        else { return nil }
        self.init(
            task: head.task, app: head.app, lane: flags & 4 != 0 ? .fast : .bulk, attempt: attempt, timing: timing,
            cap: cap, accepted: accepted, deadline: deadline, countsBadge: flags & 1 != 0,
            repeatsUnknown: flags & 2 != 0, rates: rates, receiptKey: receiptKey, variants: variants,
            segments: segments)
        guard deviceCount <= DispatchChunk.devicesMaximum else { return nil }
    }
}

extension PushRate {
    /// The rate of the task, then that of the app; zero for none.
    fileprivate static func write(_ rates: [PushRate], to bytes: inout [UInt8]) {
        for isTask in [true, false] {
            let rate = rates.first { rate in
                guard case .task = rate.scope else { return !isTask }
                return isTask
            }
            bytes.append(integer: UInt32(rate?.perSecond ?? 0))
        }
    }

    fileprivate static func read(from reader: inout ByteReader, task: TaskID, app: AppID) -> [PushRate]? {
        var rates: [PushRate] = []
        for scope in [Scope.task(task), .app(app)] {
            guard let perSecond = reader.integer(UInt32.self), perSecond <= PushRate.allowed.upperBound else {
                return nil
            }
            if perSecond > 0 { rates.append(PushRate(Int(perSecond), of: scope)) }
        }
        return rates
    }
}
