/// The name of a Live Activity, chosen by its publisher or its app.
package struct ActivityID: Hashable, Sendable, CustomStringConvertible {
    package static let bytesMaximum = 128
    /// Completes "expected …".
    package static let rule = "1 to \(bytesMaximum) bytes without control characters"
    private static let topicPrefix = "activity:"

    package let text: String

    package init(_ text: String) throws(InvalidValueError) {
        guard 1...ActivityID.bytesMaximum ~= text.utf8.count, text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { throw InvalidValueError("expected \(ActivityID.rule)") }
        self.text = text
    }

    package var description: String { text }

    /// What the tokens of the activity are subscribed to, in the app's space of activities.
    package var topic: TopicName {
        do {
            return try TopicName(ActivityID.topicPrefix + text)
        } catch {
            preconditionFailure("an activity's name is not a topic's: \(error)")
        }
    }

    /// Bytewise, as in stores: `String` treats two encodings of one accent as equal.
    package static func == (left: ActivityID, right: ActivityID) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }
}
