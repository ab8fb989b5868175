import PushModel

/// Event names in pushd's paths, a subset of topic names.
enum PushdEvent {
    private static let lengthMaximum = 100

    static func topic(_ name: String) throws(PushdError) -> TopicName {
        guard name.utf8.count <= lengthMaximum, name.utf8.allSatisfy(isAllowed), let topic = try? TopicName(name) else {
            throw .invalidEvent(name, rule)
        }
        return topic
    }

    private static let rule = InvalidValueError("expected 1 to \(lengthMaximum) of a-z, A-Z, 0-9, @, :, ., _ and -")

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "@"), UInt8(ascii: ":"), UInt8(ascii: "."),
            UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
