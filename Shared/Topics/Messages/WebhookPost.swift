import JSONKit
package import PushModel

/// What an endpoint of an app did not accept in time, complete, since the data it was made from may be removed before it
/// is posted again.
package enum WebhookPost: TopicMessage, Hashable {
    case report(ReportPost)
    case states(StatePost)

    package var app: AppID {
        switch self {
        case .report(let post): post.app
        case .states(let post): post.app
        }
    }

    package func encoded() -> [UInt8] {
        switch self {
        case .report(let post): post.encoded()
        case .states(let post): post.encoded()
        }
    }

    package init(decoding bytes: [UInt8]) throws {
        // Reports have no kind.
        let isReport = try JSON(message: bytes, "post")["kind"] == nil
        self = isReport ? .report(try ReportPost(decoding: bytes)) : .states(try StatePost(decoding: bytes))
    }
}
