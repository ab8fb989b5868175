import PushModel
import RedisClient

/// Every key of the registry. Keys of one segment share the hash tag `{app:segment}`, so that one script can touch them
/// all; every other key is a slot of its own.
///
/// Nothing may be concluded from a key that is missing, unless its absence is known to be right: each key but the small
/// ones of a segment carries the generation of the registry it belongs to (see `RegistryGeneration`), and whether it
/// was ever written stands in a key above it: an app in `registry`, a bucket in the app, the rest in these.
enum RegistryKeys {
    /// A hash: `generation`, `state` (`ready` or `rebuilding`), `alias-buckets`, and `app:<app>` for each app.
    static let registry = RedisArgument("registry")

    /// A hash: `generation`; `segments`, how many were ever opened; `open`, the numbers of those that take registrations,
    /// with commas between; `topics`, the last topic number given out; `buckets:<kind>`, a bit for each bucket that exists.
    static func app(_ app: AppID) -> RedisArgument { RedisArgument("app:\(app)") }

    /// A hash of the segments that may hold members of a topic: segment -> when it was last entered, in seconds; and
    /// `g`, the generation. There from the moment the topic has its number.
    static func topicSegments(_ app: AppID, topic: TopicNumber) -> RedisArgument {
        RedisArgument("topics:\(app):\(topic)")
    }

    /// A hash of a few names each; see `BucketKind` for what it holds. `g` is the generation, with a question mark in
    /// front while the bucket is being opened.
    static func bucket(_ app: AppID, kind: BucketKind, number: Int) -> RedisArgument {
        RedisArgument("\(kind.family):\(app):\(kind.isAlias ? kind.field + ":" : "")\(number)")
    }

    /// What stands before the first colon of every key of the registry.
    static let families: Set<String> = [
        "registry", "app", "topics", "names", "numbers", "alias", "seg", "live", "err", "dev", "sub", "badge", "top",
    ]
}

/// The keys of one segment.
struct SegmentKeys {
    /// 128 devices share a hash, so that it stays a listpack of some ten kilobytes.
    static let bucketDevices = 128
    static let bucketCount = DeviceIndex.segmentCapacity / bucketDevices
    static let topicBucketCount = 32

    private let tag: String

    init(_ segment: SegmentID) {
        tag = "{\(segment)}"
    }

    /// A hash: `generation`; `next`, the offset given out next; `applied`, the offset after the last applied record of the
    /// log; `marks`, how many removed devices have left a mark.
    var header: RedisArgument { RedisArgument(SegmentKeys.headerName(tag: tag)) }
    /// A bitmap of the living, as `SegmentSet.bytes`.
    var live: RedisArgument { RedisArgument("live:\(tag)") }
    /// A hash: offset -> deliveries that failed in a row.
    var failures: RedisArgument { RedisArgument("err:\(tag)") }
    /// A hash: offset in the bucket -> packed `Device`, or a `RemovalMark`.
    func devices(_ bucket: Int) -> RedisArgument { RedisArgument("dev:\(tag):\(bucket)") }
    /// A hash: offset in the bucket -> four bytes a subscription, topic number << 4 | options, the lowest byte first.
    func subscriptions(_ bucket: Int) -> RedisArgument { RedisArgument("sub:\(tag):\(bucket)") }
    /// A hash: offset in the bucket -> badge, in decimal.
    func badges(_ bucket: Int) -> RedisArgument { RedisArgument("badge:\(tag):\(bucket)") }
    /// A hash: topic number -> members, and `<number>i` -> those of them who ignore messages. Either a list of offsets, two
    /// bytes each and in any order, or, when it is 512 bytes long, a bitmap.
    func topics(_ bucket: Int) -> RedisArgument { RedisArgument("top:\(tag):\(bucket)") }

    static func headerName(tag: String) -> String { "seg:\(tag)" }
    static func bucket(of offset: UInt16) -> Int { Int(offset) / bucketDevices }
    /// The place in its bucket, which as a hash field takes a byte less than the offset.
    static func field(of offset: UInt16) -> Int { Int(offset) % bucketDevices }
}

/// What a topic is called inside the registry of one generation; counted from 1.
typealias TopicNumber = UInt32

/// Buckets spread names over many small hashes. A field of an alias' bucket is six bytes of the name's SHA-1.
enum BucketKind: Hashable, Sendable {
    /// Token -> index and tag of the device, four bytes each.
    case token
    /// Alias -> a list of index and time of entry, four bytes each.
    case alias(Alias.Kind)
    /// Topic name behind an equals sign -> number.
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

    /// What follows `buckets:` in the app's hash.
    var field: String {
        switch self {
        case .token: "token"
        case .alias(let kind): String(kind.rawValue)
        case .topicNames: "names"
        case .topicNumbers: "numbers"
        }
    }
}
