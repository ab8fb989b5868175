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
    /// Has a timing, rates, perhaps a cap, and the additions that it names.
    private static let extendedFormat: UInt8 = 7

    /// What later formats have besides.
    private struct Additions: OptionSet {
        static let receiptKey = Additions(rawValue: 1)
        /// After the segments.
        static let webPushKeys = Additions(rawValue: 2)
        static let groupRate = Additions(rawValue: 4)
        /// The number of its content before each variant.
        static let contents = Additions(rawValue: 8)
        static let activity = Additions(rawValue: 16)
        static let known: Additions = [.receiptKey, .webPushKeys, .groupRate, .contents, .activity]

        let rawValue: UInt8
    }

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
    /// Of pushes to a Live Activity.
    package let activity: ChunkActivity?
    package let variants: [RenderedVariant]
    package let segments: [SegmentDevices]

    package init(
        task: TaskID, app: AppID, lane: Lane, attempt: UInt8, timing: DeviceTiming = .ofTask, cap: ChunkCap? = nil,
        accepted: Int64, deadline: Int64, countsBadge: Bool, repeatsUnknown: Bool, rates: [PushRate] = [],
        receiptKey: TaskReceiptKey? = nil, activity: ChunkActivity? = nil, variants: [RenderedVariant],
        segments: [SegmentDevices]
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
        self.activity = activity
        self.variants = variants
        self.segments = segments
    }

    package var deviceCount: Int { segments.reduce(0) { $0 + $1.count } }

    /// The first that can hold the chunk, so that earlier versions read what they can handle.
    private static func format(for additions: Additions, isLimited: Bool, timing: DeviceTiming) -> UInt8 {
        if !additions.isDisjoint(with: [.groupRate, .contents, .activity]) { return extendedFormat }
        if additions.contains(.webPushKeys) { return encryptedFormat }
        if additions.contains(.receiptKey) { return provenFormat }
        if isLimited { return limitedFormat }
        return timing == .ofTask ? format : timedFormat
    }

    private var additions: Additions {
        var additions: Additions = []
        if receiptKey != nil { additions.insert(.receiptKey) }
        if segments.contains(where: \.hasWebPushKeys) { additions.insert(.webPushKeys) }
        if rates.contains(where: \.isOfGroup) { additions.insert(.groupRate) }
        if variants.contains(where: { $0.content != .ofTask }) { additions.insert(.contents) }
        if activity != nil { additions.insert(.activity) }
        return additions
    }

    package func encoded() -> [UInt8] {
        var bytes: [UInt8] = []
        let additions = additions
        let format = DispatchChunk.format(for: additions, isLimited: cap != nil || !rates.isEmpty, timing: timing)
        TaskHead(task, app: app).write(format: format, to: &bytes)
        if format >= DispatchChunk.timedFormat { timing.write(to: &bytes) }
        if format >= DispatchChunk.limitedFormat {
            PushRate.write(rates, to: &bytes)
            bytes.append(cap == nil ? 0 : 1)
            cap?.write(to: &bytes)
        }
        if format == DispatchChunk.encryptedFormat { bytes.append(receiptKey == nil ? 0 : 1) }
        if format == DispatchChunk.extendedFormat { bytes.append(additions.rawValue) }
        bytes.append(contentsOf: receiptKey?.bytes ?? [])
        if additions.contains(.groupRate) { PushRate.writeGroup(of: rates, to: &bytes) }
        activity?.write(to: &bytes)
        bytes.append(attempt)
        bytes.append(integer: accepted)
        bytes.append(integer: deadline)
        bytes.append((countsBadge ? 1 : 0) | (repeatsUnknown ? 2 : 0) | (lane == .fast ? 4 : 0))
        bytes.append(variableInteger: variants.count)
        for variant in variants { variant.write(to: &bytes, hasContent: additions.contains(.contents)) }
        bytes.append(variableInteger: segments.count)
        for segment in segments { segment.write(to: &bytes) }
        if additions.contains(.webPushKeys) {
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

    /// Nil if there are unknown ones.
    private static func additions(format: UInt8, from reader: inout ByteReader) -> Additions? {
        switch format {
        case provenFormat: return .receiptKey
        case encryptedFormat:
            guard let presence = reader.byte(), presence <= 1 else { return nil }
            return presence == 0 ? .webPushKeys : [.webPushKeys, .receiptKey]
        case extendedFormat:
            return reader.byte().map { Additions(rawValue: $0) }.flatMap { $0.isSubset(of: .known) ? $0 : nil }
        default: return []
        }
    }

    /// Nil if it is malformed.
    private static func receiptKey(_ additions: Additions, from reader: inout ByteReader) -> TaskReceiptKey?? {
        guard additions.contains(.receiptKey) else { return .some(nil) }
        guard let bytes = reader.bytes(TaskReceiptKey.byteCount) else { return nil }
        return .some(TaskReceiptKey(bytes: Array(bytes)))
    }

    /// Nil if it is malformed.
    private static func activity(_ additions: Additions, from reader: inout ByteReader) -> ChunkActivity?? {
        additions.contains(.activity) ? ChunkActivity(from: &reader).map { $0 } : .some(nil)
    }

    private init?(from reader: inout ByteReader) {
        guard let format = reader.format(in: DispatchChunk.formatBefore...DispatchChunk.extendedFormat),
            let head = TaskHead(format: format, from: &reader),
            let timing = format < DispatchChunk.timedFormat ? .ofTask : DeviceTiming(from: &reader),
            let ownRates = format < DispatchChunk.limitedFormat
                ? [] : PushRate.read(from: &reader, task: head.task, app: head.app),
            let cap = format < DispatchChunk.limitedFormat ? .some(nil) : DispatchChunk.cap(from: &reader),
            let additions = DispatchChunk.additions(format: format, from: &reader),
            let receiptKey = DispatchChunk.receiptKey(additions, from: &reader),
            let rates = additions.contains(.groupRate)
                ? PushRate.adding(groupFrom: &reader, to: ownRates, app: head.app) : ownRates,
            let activity = DispatchChunk.activity(additions, from: &reader),
            let attempt = reader.byte(),
            let accepted = format == DispatchChunk.formatBefore ? 0 : reader.integer(Int64.self),
            let deadline = reader.integer(Int64.self), let flags = reader.byte(),
            let variantCount = reader.variableInteger(), variantCount <= 256,
            let variants = reader.elements(
                variantCount, read: { RenderedVariant(from: &$0, hasContent: additions.contains(.contents)) }),
            let segmentCount = reader.variableInteger(), segmentCount <= DispatchChunk.devicesMaximum,
            var segments = reader.elements(segmentCount, read: { SegmentDevices(from: &$0) }),
            segments.allSatisfy({ $0.variants.allSatisfy { Int($0) < variantCount } }),
            !additions.contains(.webPushKeys)
                || segments.indices.allSatisfy({ segments[$0].readWebPushKeys(from: &reader) })
        else { return nil }
        self.init(
            task: head.task, app: head.app, lane: flags & 4 != 0 ? .fast : .bulk, attempt: attempt, timing: timing,
            cap: cap, accepted: accepted, deadline: deadline, countsBadge: flags & 1 != 0,
            repeatsUnknown: flags & 2 != 0, rates: rates, receiptKey: receiptKey, activity: activity,
            variants: variants, segments: segments)
        guard deviceCount <= DispatchChunk.devicesMaximum else { return nil }
    }
}

extension PushRate {
    fileprivate var isOfGroup: Bool { group != nil }

    private var group: Int64? {
        guard case .group(_, let id) = scope else { return nil }
        return id
    }

    /// The rate of the task, then that of the app; zero for none.
    fileprivate static func write(_ rates: [PushRate], to bytes: inout [UInt8]) {
        var (ofTask, ofApp) = (0, 0)
        for rate in rates {
            switch rate.scope {
            case .task: ofTask = rate.perSecond
            case .app: ofApp = rate.perSecond
            case .group: break
            }
        }
        bytes.append(integer: UInt32(ofTask))
        bytes.append(integer: UInt32(ofApp))
    }

    fileprivate static func writeGroup(of rates: [PushRate], to bytes: inout [UInt8]) {
        for rate in rates {
            guard let group = rate.group else { continue }
            bytes.append(integer: group)
            bytes.append(integer: UInt32(rate.perSecond))
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

    /// The rates with that of the group, between those of the task and the app. Nil if it is malformed.
    fileprivate static func adding(
        groupFrom reader: inout ByteReader, to rates: [PushRate], app: AppID
    ) -> [PushRate]? {
        guard let id = reader.integer(Int64.self), let perSecond = reader.integer(UInt32.self),
            PushRate.allowed ~= Int(perSecond)
        else { return nil }
        let group = PushRate(Int(perSecond), of: .group(app, id))
        let position = rates.firstIndex { $0.scope == .app(app) } ?? rates.count
        return Array(rates[..<position]) + [group] + Array(rates[position...])
    }
}
