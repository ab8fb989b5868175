import JSONKit

/// What webhooks are told and is on no other topic.
package enum StatusNotice: TopicMessage, Hashable {
    case acceptance(MessageAcceptance)
    case transition(DeviceTransition)

    package func encoded() -> [UInt8] {
        switch self {
        case .acceptance(let acceptance): acceptance.encoded()
        case .transition(let transition): transition.encoded()
        }
    }

    package init(decoding bytes: [UInt8]) throws {
        // Acceptances have no kind.
        let isAcceptance = try JSON(message: bytes, "notice")["kind"] == nil
        self =
            isAcceptance
            ? .acceptance(try MessageAcceptance(decoding: bytes)) : .transition(try DeviceTransition(decoding: bytes))
    }
}
