package import Bus
import PushModel
import ServiceKit
package import Store
package import Topics

/// A change, as stored on the `registry` topic.
///
/// The key is the segment, a zero byte, and the subject within the segment: the first part keeps all changes of a
/// segment in one partition and so in order; the whole key lets compaction keep the last record of each subject. The
/// value is a version and the packed state, or empty if the subject was deleted.
package struct RegistryRecord: Hashable, Sendable {
    private static let version: UInt8 = 1

    package let change: RegistryChange

    package init(_ change: RegistryChange) {
        self.change = change
    }

    package init(key: [UInt8]?, value: [UInt8]) throws(MalformedMessageError) {
        guard let key, let subject = Subject(key: key) else {
            throw MalformedMessageError("invalid registry key")
        }
        let content = try RegistryRecord.content(of: subject.kind, value)
        change = RegistryChange(app: subject.app, index: subject.index, content)
    }

    package init(_ message: IncomingMessage) throws(MalformedMessageError) {
        try self.init(key: message.key, value: message.value)
    }

    package var key: [UInt8] {
        Subject(of: change).key
    }

    package var value: [UInt8] {
        switch change.content {
        case .device(nil), .subscription(_, nil), .badge(nil), .audience(_, nil), .transfer(_, nil), .activity(_, nil):
            []
        case .device(let device?): [RegistryRecord.version] + device.packed
        case .subscription(_, let options?): [RegistryRecord.version, options.rawValue]
        case .purge: [RegistryRecord.version]
        case .badge(let badge?): [RegistryRecord.version].appending(badge)
        case .audience(_, let definition?): [RegistryRecord.version] + definition
        case .group(let group): [RegistryRecord.version] + group.packed
        case .transfer(_, let record?): [RegistryRecord.version] + record.packed
        case .activity(_, let record?): [RegistryRecord.version] + record.packed
        case .count(_, let change):
            [RegistryRecord.version] + Array("\(change.previous?.milliseconds ?? 0) \(change.count.text)".utf8)
        }
    }

    package var message: OutgoingMessage {
        Topics.registry.message(OpaqueMessage(value), key: key)
    }

    private static func content(
        of kind: Subject.Kind, _ value: [UInt8]
    ) throws(MalformedMessageError) -> RegistryChange.Content {
        guard let first = value.first else {
            switch kind {
            case .device: return .device(nil)
            case .subscription(let topic): return .subscription(topic, nil)
            case .purge: throw MalformedMessageError("a purge cannot be deleted")
            case .badge: return .badge(nil)
            case .audience(let name): return .audience(name, nil)
            case .count: throw MalformedMessageError("a count of publications cannot be deleted")
            case .group: throw MalformedMessageError("a group cannot be deleted")
            case .transfer(let id): return .transfer(id, nil)
            case .activity(let fact): return .activity(fact, nil)
            }
        }
        guard first == version else { throw MalformedMessageError("unknown registry record version \(first)") }
        guard let content = content(of: kind, packed: value.dropFirst()) else {
            throw MalformedMessageError("invalid registry record value")
        }
        return content
    }

    private static func content(of kind: Subject.Kind, packed: ArraySlice<UInt8>) -> RegistryChange.Content? {
        switch kind {
        case .device: return Device(packed: packed).map { .device($0) }
        case .subscription(let topic):
            guard packed.count == 1, let options = packed.first else { return nil }
            // Unknown options of a later version are ignored.
            return .subscription(topic, SubscriptionOptions(rawValue: options).intersection(.known))
        case .purge(let topic): return packed.isEmpty ? .purge(topic) : nil
        case .badge:
            var reader = ByteReader(packed)
            guard let badge = reader.integer(UInt32.self), reader.isAtEnd else { return nil }
            return .badge(badge)
        case .audience(let name): return .audience(name, Array(packed))
        case .count(let topic):
            return OutsideText.string(packed).flatMap(TopicCountChange.init(logged:)).map { .count(topic, $0) }
        case .group(let id): return TransferGroup(id: id, packed: packed).map { .group($0) }
        case .transfer(let id): return TransferRecord(id: id, packed: packed).map { .transfer(id, $0) }
        case .activity(let fact): return ActivityRecord(packed: packed).map { .activity(fact, $0) }
        }
    }
}

/// The subject of a record, as encoded in its key: `app:segment`, a zero byte, and then `d:offset`, `b:offset`,
/// `s:offset:topic`, `p:0:topic`, `a:0:name`, `t:0:topic`, `g:0:group`, `x:0:transfer`, or of an activity
/// `lb:0:activity`, `ls:0:activity` and `le:0:activity`. Text, so that an operator can read it with any client; each
/// subject has exactly one encoding.
private struct Subject {
    enum Kind {
        case device
        case subscription(TopicName)
        case purge(TopicName)
        case badge
        case audience(AudienceName)
        case count(TopicName)
        case group(Int64)
        case transfer(UInt64)
        case activity(ActivityFact)
    }

    let app: AppID
    let index: DeviceIndex
    let kind: Kind

    init(of change: RegistryChange) {
        app = change.app
        index = change.index
        switch change.content {
        case .device: kind = .device
        case .subscription(let topic, _): kind = .subscription(topic)
        case .purge(let topic): kind = .purge(topic)
        case .badge: kind = .badge
        case .audience(let name, _): kind = .audience(name)
        case .count(let topic, _): kind = .count(topic)
        case .group(let group): kind = .group(group.id)
        case .transfer(let id, _): kind = .transfer(id)
        case .activity(let fact, _): kind = .activity(fact)
        }
    }

    var key: [UInt8] {
        let subject =
            switch kind {
            case .device: "d:\(index.offset)"
            case .subscription(let topic): "s:\(index.offset):\(topic)"
            case .purge(let topic): "p:\(index.offset):\(topic)"
            case .badge: "b:\(index.offset)"
            case .audience(let name): "a:\(index.offset):\(name)"
            case .count(let topic): "t:\(index.offset):\(topic)"
            case .group(let id): "g:\(index.offset):\(id)"
            case .transfer(let id): "x:\(index.offset):\(id)"
            case .activity(let fact): "l\(fact.kind.letter):\(index.offset):\(fact.activity)"
            }
        return Array(SegmentID(app, number: index.segment).description.utf8) + [0] + Array(subject.utf8)
    }

    /// Nil if the bytes are not such a key.
    init?(key: [UInt8]) {
        guard let zero = key.firstIndex(of: 0), let head = OutsideText.string(key[..<zero]),
            let tail = OutsideText.string(key[(zero + 1)...])
        else { return nil }
        let place = head.split(separator: ":", omittingEmptySubsequences: false)
        let subject = tail.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard place.count == 2, subject.count >= 2, let app = try? AppID(String(place[0])),
            let segment = UInt32(canonical: place[1], in: 0..<SegmentNumber.maximum + 1),
            let offset = UInt32(canonical: subject[1], in: 0..<UInt32(DeviceIndex.segmentCapacity))
        else { return nil }
        switch (subject[0], subject.count) {
        case ("d", 2): kind = .device
        case ("b", 2): kind = .badge
        case ("s", 3):
            guard let topic = try? TopicName(String(subject[2])) else { return nil }
            kind = .subscription(topic)
        case ("p", 3):
            guard offset == 0, let topic = try? TopicName(String(subject[2])) else { return nil }
            kind = .purge(topic)
        case ("t", 3):
            guard segment == 0, offset == 0, let topic = try? TopicName(String(subject[2])) else { return nil }
            kind = .count(topic)
        case ("a", 3):
            guard segment == 0, offset == 0, let name = try? AudienceName(String(subject[2])) else { return nil }
            kind = .audience(name)
        case ("g", 3):
            guard segment == 0, offset == 0, let id = Int64(canonical: subject[2], in: TransferGroupBounds.ids) else {
                return nil
            }
            kind = .group(id)
        case ("x", 3):
            guard segment == 0, offset == 0, let id = UInt64(canonical: subject[2], in: TransferBounds.ids) else {
                return nil
            }
            kind = .transfer(id)
        case (let name, 3) where name.first == "l":
            guard segment == 0, offset == 0, app.isSpace,
                let fact = ActivityFact.Kind(letter: name.dropFirst()),
                let activity = try? ActivityID(String(subject[2]))
            else { return nil }
            kind = .activity(ActivityFact(fact, of: activity))
        default: return nil
        }
        self.app = app
        index = DeviceIndex(segment: SegmentNumber(rawValue: segment), offset: UInt16(offset))
    }
}

extension TopicCountChange {
    /// The time of the replaced count, zero for none, and the count.
    fileprivate init?(logged text: String) {
        let parts = text.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, let previous = Int64(parts[0]), previous >= 0, let count = TopicCount(text: parts[1])
        else { return nil }
        self.init(previous: previous == 0 ? nil : Timestamp(milliseconds: previous), count: count)
    }
}

extension FixedWidthInteger {
    /// Nil for a non-canonical form: no sign, no leading zero.
    fileprivate init?(canonical text: Substring, in range: Range<Self>) {
        guard let value = Self(text), range.contains(value), String(value) == text else { return nil }
        self = value
    }
}

extension [UInt8] {
    fileprivate func appending(_ value: UInt32) -> [UInt8] {
        var bytes = self
        bytes.append(integer: value)
        return bytes
    }
}
