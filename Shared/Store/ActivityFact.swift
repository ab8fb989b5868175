package import PushModel
package import ServiceKit

/// One of the facts about a Live Activity that are stored on their own: an update and an end that are written at the
/// same time must not undo each other.
package struct ActivityFact: Hashable, Sendable {
    package enum Kind: CaseIterable, Sendable {
        /// What stays: type, attributes, target.
        case base
        /// The newest content state.
        case state
        /// That it has ended, with its last state.
        case end

        /// Its name in keys of stores and of the log.
        package var letter: String {
            switch self {
            case .base: "b"
            case .state: "s"
            case .end: "e"
            }
        }

        package init?(letter: some StringProtocol) {
            guard let kind = Kind.allCases.first(where: { $0.letter == letter }) else { return nil }
            self = kind
        }
    }

    package let activity: ActivityID
    package let kind: Kind

    package init(_ kind: Kind, of activity: ActivityID) {
        self.activity = activity
        self.kind = kind
    }

    package static func all(of activity: ActivityID) -> [ActivityFact] {
        Kind.allCases.map { ActivityFact($0, of: activity) }
    }
}

/// The value of a fact, as its writer encoded it, and its time, by which activities are listed and forgotten.
package struct ActivityRecord: Hashable, Sendable {
    package static let bytesMaximum = 16 << 10

    package let time: Timestamp
    package let content: [UInt8]

    package init(time: Timestamp, content: [UInt8]) {
        self.time = time
        self.content = content
    }

    /// The time in milliseconds, eight bytes, and the content.
    package var packed: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(8 + content.count)
        bytes.append(integer: UInt64(bitPattern: time.milliseconds))
        bytes += content
        return bytes
    }

    /// Nil if the bytes are no such record.
    package init?(packed bytes: some Collection<UInt8>) {
        var reader = ByteReader(Array(bytes))
        guard let time = reader.integer(UInt64.self).flatMap({ Int64(exactly: $0) }) else { return nil }
        self.init(time: Timestamp(milliseconds: time), content: Array(reader.rest()))
    }
}

/// What is stored about an activity.
package struct ActivityFacts: Hashable, Sendable {
    package let base: ActivityRecord
    package let state: ActivityRecord?
    package let end: ActivityRecord?

    package init(base: ActivityRecord, state: ActivityRecord?, end: ActivityRecord?) {
        self.base = base
        self.state = state
        self.end = end
    }
}
