import PushModel
import RedisClient
import Store

/// All keys of the registry. Keys of one segment share the hash tag `{app:segment}`, so that one script can use them
/// all; every other key has a slot of its own.
///
/// A missing key proves nothing unless its absence is known to be valid: each key except the small ones of a segment
/// carries the generation of its registry (see `RegistryGeneration`), and a parent key records whether it was ever
/// written: `registry` for an app, the app for a bucket, either for the rest.
enum RegistryKeys {
    /// A hash: `generation`, `state` (`ready` or `rebuilding`), `alias-buckets`, and `app:<app>` for each app.
    static let registry = RedisArgument("registry")

    /// A hash: `generation`; `segments`, the number ever opened; `open`, the segments that accept registrations,
    /// comma-separated; `topics`, the last allocated topic number; `buckets:<kind>`, a bit for each existing bucket.
    static func app(_ app: AppID) -> RedisArgument { RedisArgument("app:\(app)") }

    /// A hash of the segments that may hold members of a topic: segment -> time of its last entry, in seconds; and `g`,
    /// the generation. Exists from the moment the topic has its number.
    static func topicSegments(_ app: AppID, topic: TopicNumber) -> RedisArgument {
        RedisArgument("topics:\(app):\(topic)")
    }

    /// A hash of a few names each; see `BucketKind` for its content. `g` is the generation, prefixed with a question
    /// mark while the bucket is being opened.
    static func bucket(_ app: AppID, kind: BucketKind, number: Int) -> RedisArgument {
        RedisArgument("\(kind.family):\(app):\(kind.isAlias ? kind.field + ":" : "")\(number)")
    }

    /// The part of the registry's key names before the first colon.
    static let families: Set<String> = [
        "registry", "app", "topics", "names", "numbers", "alias", "seg", "live", "err", "dev", "sub", "badge", "top",
        "saved", "counts", "counted", "recount", "groups", "transfers", "transfer-clients", "transfer-times",
        "activities", "activity-times", "activity-clocks", "activity-channels",
    ]
}

/// The keys of one segment.
struct SegmentKeys {
    /// 128 devices share a hash, so that it stays a listpack of about ten kilobytes.
    static let bucketDevices = 128
    static let bucketCount = DeviceIndex.segmentCapacity / bucketDevices
    static let topicBucketCount = 32

    private let tag: String

    init(_ segment: SegmentID) {
        tag = "{\(segment)}"
    }

    /// A hash: `generation`; `next`, the next offset to allocate; `applied`, the offset after the last applied record
    /// of the log; `marks`, the number of stored removal marks; `purged`, the topics that `finish-purge.lua` removes
    /// from the devices' lists, each with a comma before it.
    var header: RedisArgument { RedisArgument(SegmentKeys.headerName(tag: tag)) }
    /// A bitmap of the living devices, as `SegmentSet.bytes`.
    var live: RedisArgument { RedisArgument("live:\(tag)") }
    /// A hash: offset -> consecutive failed deliveries.
    var failures: RedisArgument { RedisArgument("err:\(tag)") }
    /// A hash: offset in the bucket -> packed `Device`, or a removal mark (`StoredDevice`).
    func devices(_ bucket: Int) -> RedisArgument { RedisArgument("dev:\(tag):\(bucket)") }
    /// A hash: offset in the bucket -> four bytes a subscription, topic number << 4 | options, the lowest byte first.
    func subscriptions(_ bucket: Int) -> RedisArgument { RedisArgument("sub:\(tag):\(bucket)") }
    /// A hash: offset in the bucket -> badge, in decimal.
    func badges(_ bucket: Int) -> RedisArgument { RedisArgument("badge:\(tag):\(bucket)") }
    /// A hash: offset in the bucket -> the last pushes under a cap; see `Scripts/Ledger/caps.lua`. It expires, so
    /// neither a rebuild nor the removal of a device deletes it.
    func pushes(_ bucket: Int) -> RedisArgument { RedisArgument("push:\(tag):\(bucket)") }
    /// A hash: topic number -> members, `<number>i` -> the members that ignore messages, and `<number>x` -> those that
    /// a purge has ended. A list of offsets, two bytes each and in any order, or, if it is 512 bytes long, a bitmap.
    func topics(_ bucket: Int) -> RedisArgument { RedisArgument("top:\(tag):\(bucket)") }

    /// A hash, of an app's first segment only: name -> saved audience of the app.
    var audiences: RedisArgument { RedisArgument("saved:\(tag)") }
    /// Hashes, of an app's first segment only: topic number -> count of publications; see `topic-counts.lua`.
    func counts(_ topic: TopicNumber) -> RedisArgument {
        RedisArgument("counts:\(tag):\(topic / BucketKind.numbersOfBucket)")
    }
    /// A hash, of an app's first segment only: partition of `tasks` -> offset to which publications are counted.
    var counted: RedisArgument { RedisArgument("counted:\(tag)") }
    /// A hash, of an app's first segment only: number of a topic whose count has changed since it was recorded in the
    /// log.
    var recount: RedisArgument { RedisArgument("recount:\(tag)") }

    /// A hash, of an app's first segment only: id -> group of transfers.
    var groups: RedisArgument { RedisArgument("groups:\(tag)") }
    /// The id of the group that is about to be saved under the name; of an app's first segment only. It expires, so that
    /// a rebuild need not delete it.
    func groupName(_ name: String) -> RedisArgument { RedisArgument("group-name:\(tag):\(name)") }
    /// A hash and two indices of it, of an app's first segment only; `transfers.lua` describes them. All transfers of an
    /// app are in one slot: a reservation looks at several of them, and has to be one step. That is enough, since an app
    /// has few transfers compared to its devices: a maximum of 500,000 within 90 days, in which they are touched a few
    /// times each. No operation reads a whole key, and one field or member costs the same however many others there are.
    var transfers: RedisArgument { RedisArgument("transfers:\(tag)") }
    var transferClients: RedisArgument { RedisArgument("transfer-clients:\(tag)") }
    var transferTimes: RedisArgument { RedisArgument("transfer-times:\(tag)") }

    /// A hash, of the first segment of a space of activities only: `b:`, `s:` or `e:` and the activity -> its base, state
    /// or end, packed as `ActivityRecord`.
    var activities: RedisArgument { RedisArgument("activities:\(tag)") }
    /// A sorted set of the activities by the time of their bases; the same.
    var activityTimes: RedisArgument { RedisArgument("activity-times:\(tag)") }
    /// A hash: activity -> packed `ActivityClock`; the same. Not in the log.
    var activityClocks: RedisArgument { RedisArgument("activity-clocks:\(tag)") }

    /// A hash: `p:` or `s:`, for Apple's environment, and the activity -> `ActivityChannel`; the same. Not in the log.
    var activityChannels: RedisArgument { RedisArgument("activity-channels:\(tag)") }
    /// Exists while a sender makes the channel. It expires, so that a rebuild need not delete it.
    func channelReservation(_ place: ChannelPlace) -> RedisArgument {
        RedisArgument("channel-reservation:\(tag):\(place.name)")
    }

    /// The topics in the header's field `purged`.
    static func purged(_ field: RedisValue) -> [TopicNumber] {
        field.string?.split(separator: ",").compactMap { TopicNumber($0) } ?? []
    }

    static func headerName(tag: String) -> String { "seg:\(tag)" }
    static func bucket(of offset: UInt16) -> Int { Int(offset) / bucketDevices }
    /// The offset within the bucket, which as a hash field takes a byte less than the offset.
    static func field(of offset: UInt16) -> Int { Int(offset) % bucketDevices }
}

/// The number of a topic within one generation of the registry; counted from 1.
typealias TopicNumber = UInt32

/// Buckets distribute names over many small hashes. A field of an alias bucket is six bytes of the name's SHA-1.
enum BucketKind: Hashable, Sendable {
    /// Token -> index and tag of the device, four bytes each.
    case token
    /// Alias -> a list of index and time of entry, four bytes each.
    case alias(Alias.Kind)
    /// An equals sign and the topic name -> number.
    case topicNames
    /// Topic number -> name.
    case topicNumbers

    static let topicNameBuckets = 1_024
    static let numbersOfBucket: UInt32 = 128

    var family: String {
        switch self {
        case .token, .alias: "alias"
        case .topicNames: "names"
        case .topicNumbers: "numbers"
        }
    }

    var isAlias: Bool { family == "alias" }

    /// The suffix after `buckets:` in the app's hash.
    var field: String {
        switch self {
        case .token: "token"
        case .alias(let kind): String(kind.rawValue)
        case .topicNames: "names"
        case .topicNumbers: "numbers"
        }
    }
}
