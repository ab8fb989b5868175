/// The name of a topic that devices subscribe to. Dialects restrict it further; this is what the registry can store.
package struct TopicName: Hashable, Comparable, Sendable, CustomStringConvertible {
    package static let bytesMaximum = 256
    /// Completes "expected …".
    package static let rule = "1 to \(bytesMaximum) bytes without control characters"
    package let text: String

    package init(_ text: String) throws(InvalidValueError) {
        guard (1...TopicName.bytesMaximum).contains(text.utf8.count), text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else {
            throw InvalidValueError("expected \(TopicName.rule)")
        }
        self.text = text
    }

    package var description: String { text }

    /// Bytewise, as in stores: `String` treats two encodings of one accent as equal.
    package static func == (left: TopicName, right: TopicName) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    package static func < (left: TopicName, right: TopicName) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }
}

package struct SubscriptionOptions: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Data and badge are sent, the alert is not.
    package static let ignoreMessage = SubscriptionOptions(rawValue: 1)
    /// Of the topic of a Live Activity: the state that was sent before the subscription is not accepted for the device yet.
    package static let awaitsState = SubscriptionOptions(rawValue: 2)
    package static let known: SubscriptionOptions = [.ignoreMessage, .awaitsState]
}
