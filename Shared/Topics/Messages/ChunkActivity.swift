package import PushModel

/// The Live Activity that the pushes of a chunk are for. A sender gives way to a newer state.
package struct ChunkActivity: Hashable, Sendable {
    package let activity: ActivityID
    package let event: ActivityEvent
    /// Seconds since 1970.
    package let timestamp: Int64

    package init(_ event: ActivityEvent, of activity: ActivityID, timestamp: Int64) {
        self.activity = activity
        self.event = event
        self.timestamp = timestamp
    }

    func write(to bytes: inout [UInt8]) {
        bytes.append(counted: event.rawValue.utf8)
        bytes.append(integer: timestamp)
        bytes.append(counted: activity.text.utf8)
    }

    init?(from reader: inout ByteReader) {
        guard let event = reader.text().flatMap({ ActivityEvent(rawValue: $0) }),
            let timestamp = reader.integer(Int64.self),
            let activity = reader.text().flatMap({ try? ActivityID($0) })
        else { return nil }
        self.init(event, of: activity, timestamp: timestamp)
    }
}
