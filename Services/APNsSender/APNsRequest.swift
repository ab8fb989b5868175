import HTTP2
import ProviderKit
import PushModel
import ServiceKit
import Topics

/// Builds requests from pushes. Pushes of one variant share their headers, except for the id.
struct APNsRequest {
    private let topic: String
    private let authorization: String?
    private let limit: Duration
    private var shared = PerContent<HTTP2Headers>()

    /// Without a token the connection's certificate identifies the sender.
    init(topic: String, token: BearerToken?, limit: Duration) {
        self.topic = topic
        authorization = token.map { "bearer " + $0.value.reveal() }
        self.limit = limit
    }

    mutating func make(_ push: Push, avoiding connection: Int? = nil) -> HTTP2Request {
        var own = HTTP2Headers()
        let isForChannel = push.content.variant.kind == .channel
        own.append(isForChannel ? "apns-request-id" : "apns-id", push.id.description, indexing: .nameOnly)
        if isForChannel { own.append("apns-channel-id", push.token, indexing: .nameOnly) }
        var request = HTTP2Request(
            .post, isForChannel ? "/4/broadcasts/apps/" + topic : "/3/device/" + push.token,
            sharedHeaders: shared.value(of: push.content, make: headers), headers: own, body: push.payload,
            limit: limit)
        request.avoidedConnection = connection
        return request
    }

    private func headers(_ content: PushContent) -> HTTP2Headers {
        let variant = content.variant
        let type = variant.pushType.isEmpty ? "alert" : variant.pushType
        var headers = HTTP2Headers()
        // Apple's path for channels names the app.
        if variant.kind != .channel {
            headers.append("apns-topic", topic + APNsPushType.topicSuffix(of: type))
        }
        headers.append("apns-push-type", type)
        // Apple rejects any other priority for a background notification.
        headers.append("apns-priority", variant.priority == .high && type != "background" ? "10" : "5")
        headers.append("apns-expiration", String(variant.expiration), indexing: .nameOnly)
        if !variant.collapseID.isEmpty { headers.append("apns-collapse-id", variant.collapseID, indexing: .nameOnly) }
        if let authorization { headers.append("authorization", authorization, indexing: .nameOnly) }
        return headers
    }
}
