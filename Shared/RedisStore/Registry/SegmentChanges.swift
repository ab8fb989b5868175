import PushModel
import RedisClient
import ServiceKit
import Store

/// Script arguments for changes of one segment: the required keys, without duplicates, and the values.
struct SegmentChanges {
    enum Change {
        case put([UInt8])
        case remove
        case subscribe(TopicNumber, SubscriptionOptions)
        case unsubscribe(TopicNumber)
        case purge(TopicNumber)
        case badge(UInt32?)
        case audience(AudienceName, [UInt8]?)
        case count(TopicNumber, TopicCountChange)
        case group(TransferGroup)
        case transfer(UInt64, TransferRecord?)
        case activity(ActivityFact, ActivityRecord?)
    }

    /// Precondition of the changes.
    enum Condition {
        case none
        case absent
        case living(tag: UInt32)
        case record([UInt8])
    }

    private enum Place: Hashable {
        case devices(Int)
        case subscriptions(Int)
        case badges(Int)
        case topics(Int)
        case audiences
        case counts(TopicNumber)
        case recount
        case groups
        case transfers
        case transferClients
        case transferTimes
        case activities
        case activityTimes
    }

    private let segmentKeys: SegmentKeys
    private let generation: RedisArgument
    private let now: RedisArgument
    private var keys: [RedisArgument]
    private var places: [Place: Int] = [:]
    /// Position of the first of the consecutive keys of all topics, for a removal; nil if they are not needed.
    private var allTopics: Int?
    private var head: [RedisArgument] = []
    private var changes: [RedisArgument] = []
    /// True if the changes only remove data; these are executed even if Redis is full.
    private(set) var onlyShrinks = true
    private(set) var count = 0

    init(_ segment: SegmentID, generation: RegistryGeneration, now seconds: UInt32) {
        segmentKeys = SegmentKeys(segment)
        keys = [segmentKeys.header, segmentKeys.live, segmentKeys.failures]
        self.generation = RedisArgument(generation.id)
        now = RedisArgument(Int64(seconds))
    }

    mutating func require(_ condition: Condition, of offset: UInt16, subscriptions: PackedSubscriptions?) {
        let bucket = SegmentKeys.bucket(of: offset)
        let (name, value): (RedisArgument, [UInt8]) =
            switch condition {
            case .none: ("none", [])
            case .absent: ("absent", [])
            case .living(let tag): ("living", SegmentChanges.bytes(of: tag))
            case .record(let record): ("record", record)
            }
        head = [
            name, place(.devices(bucket)), RedisArgument(SegmentKeys.field(of: offset)), RedisArgument(value),
            subscriptions == nil ? "0" : place(.subscriptions(bucket)), RedisArgument(subscriptions?.bytes ?? []),
        ]
    }

    /// `logOffset` is used only for changes from the log.
    mutating func append(_ change: Change, at offset: UInt16, logOffset: Int64 = 0) {
        let bucket = SegmentKeys.bucket(of: offset)
        let none: RedisArgument = ""
        let shape: [RedisArgument]
        switch change {
        case .put(let record):
            shape = [place(.devices(bucket)), none, none, RedisArgument(record), none]
        case .remove:
            shape = [
                place(.devices(bucket)), place(.subscriptions(bucket)), place(.badges(bucket)), placeOfAllTopics(),
                none,
            ]
        case .subscribe(let topic, let options):
            shape = [
                place(.subscriptions(bucket)), place(topic), none, RedisArgument(Int64(topic)),
                RedisArgument(Int(options.rawValue & 15)),
            ]
        case .unsubscribe(let topic):
            shape = [place(.subscriptions(bucket)), place(topic), none, RedisArgument(Int64(topic)), none]
        case .purge(let topic): shape = [place(topic), none, none, RedisArgument(Int64(topic)), none]
        case .badge(let badge):
            shape = [place(.badges(bucket)), none, none, badge.map { RedisArgument(Int64($0)) } ?? none, none]
        case .count(let topic, let change):
            shape = [
                place(.counts(topic / BucketKind.numbersOfBucket * BucketKind.numbersOfBucket)), place(.recount),
                RedisArgument(Int64(topic)), RedisArgument(change.previous?.milliseconds ?? 0),
                RedisArgument(change.count.text),
            ]
        case .audience(let name, let definition):
            shape = [place(.audiences), none, none, RedisArgument(name.text), RedisArgument(definition ?? [])]
        case .group(let group):
            shape = [place(.groups), none, none, RedisArgument("\(group.id)"), RedisArgument(group.packed)]
        case .transfer(let id, let record):
            shape = [
                place(.transfers), place(.transferClients), place(.transferTimes), RedisArgument("\(id)"),
                RedisArgument(record?.packed ?? []),
            ]
        case .activity(let fact, let record):
            shape = [
                place(.activities), place(.activityTimes), RedisArgument(record?.time.milliseconds ?? 0),
                fact.field, RedisArgument(record?.packed ?? []),
            ]
        }
        changes += [change.name, RedisArgument(logOffset), RedisArgument(Int(offset))] + shape
        onlyShrinks = onlyShrinks && change.shrinks
        count += 1
    }

    /// Applies the changes under the required condition.
    var commit: ScriptCall {
        let script = onlyShrinks ? RegistryScripts.commitShrinking : RegistryScripts.commit
        return ScriptCall(
            script, keys: keys,
            arguments: [generation, now] + (head.isEmpty ? SegmentChanges.noCondition : head) + changes)
    }

    /// Creates devices, each with the changes that follow its put; those whose index has a record are left out.
    var create: ScriptCall {
        ScriptCall(
            RegistryScripts.createDevices, keys: keys,
            arguments: [generation, now] + SegmentChanges.noCondition + changes)
    }

    /// Applies changes guarded by the log offsets; with a predecessor, only after the segment has applied all below it.
    func applyLogged(after predecessor: Int64?) -> ScriptCall {
        ScriptCall(
            RegistryScripts.applyLogged, keys: keys,
            arguments: [generation, now, "log", predecessor.map { RedisArgument($0) } ?? ""]
                + SegmentChanges.noCondition.dropFirst(2) + changes)
    }

    private static let noCondition: [RedisArgument] = ["none", "", "", "", "0", ""]

    private mutating func place(_ topic: TopicNumber) -> RedisArgument {
        place(.topics(Int(topic) % SegmentKeys.topicBucketCount))
    }

    /// Position among the keys, starting from 1 as in Lua.
    private mutating func place(_ place: Place) -> RedisArgument {
        if let known = places[place] { return RedisArgument(known) }
        switch place {
        case .devices(let bucket): keys.append(segmentKeys.devices(bucket))
        case .subscriptions(let bucket): keys.append(segmentKeys.subscriptions(bucket))
        case .badges(let bucket): keys.append(segmentKeys.badges(bucket))
        case .topics(let bucket): keys.append(segmentKeys.topics(bucket))
        case .audiences: keys.append(segmentKeys.audiences)
        case .counts(let topic): keys.append(segmentKeys.counts(topic))
        case .recount: keys.append(segmentKeys.recount)
        case .groups: keys.append(segmentKeys.groups)
        case .transfers: keys.append(segmentKeys.transfers)
        case .transferClients: keys.append(segmentKeys.transferClients)
        case .transferTimes: keys.append(segmentKeys.transferTimes)
        case .activities: keys.append(segmentKeys.activities)
        case .activityTimes: keys.append(segmentKeys.activityTimes)
        }
        places[place] = keys.count
        return RedisArgument(keys.count)
    }

    private mutating func placeOfAllTopics() -> RedisArgument {
        if let allTopics { return RedisArgument(allTopics) }
        let first = keys.count + 1
        keys += (0..<SegmentKeys.topicBucketCount).map(segmentKeys.topics)
        allTopics = first
        return RedisArgument(first)
    }

    private static func bytes(of tag: UInt32) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(integer: tag)
        return bytes
    }
}

extension SegmentChanges.Change {
    fileprivate var name: RedisArgument {
        switch self {
        case .put: "put"
        case .remove: "remove"
        case .subscribe: "subscribe"
        case .unsubscribe: "unsubscribe"
        case .purge: "purge"
        case .badge: "badge"
        case .audience, .group: "named"
        case .count: "count"
        case .transfer: "transfer"
        case .activity: "activity"
        }
    }

    fileprivate var shrinks: Bool {
        switch self {
        case .remove, .unsubscribe, .purge, .badge(nil), .audience(_, nil), .transfer(_, nil),
            .activity(_, nil):
            true
        case .put, .subscribe, .badge, .audience, .count, .group, .transfer, .activity: false
        }
    }
}
