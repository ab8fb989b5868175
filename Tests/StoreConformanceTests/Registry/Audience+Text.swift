import PushModel

extension Audience {
    static func topic(_ text: String) throws -> Audience { .topic(try TopicName(text)) }
}
