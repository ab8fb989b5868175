import HTTPClient
import ProviderKit
import PushModel
import ServiceKit
import Topics

/// Builds requests from pushes.
struct MPNSRequest {
    let addresses: AddressPolicy

    func make(_ push: Push) -> OriginRequests.Prepared {
        let variant = push.content.variant
        guard let type = MPNSRequest.types[variant.pushType] else { return .unsendable("InvalidPushType") }
        var headers = [
            HTTPClientRequest.Header("Content-Type", "text/xml; charset=utf-8"),
            HTTPClientRequest.Header("X-MessageID", push.id.description),
            HTTPClientRequest.Header("X-NotificationClass", String(type.batching(variant.priority))),
        ]
        if !variant.pushType.isEmpty { headers.append(.init("X-WindowsPhone-Target", variant.pushType)) }
        return .ready(
            HTTPClientRequest(
                .post, url: push.token, to: .untrusted(addresses), headers: headers, body: push.payload))
    }

    private struct PushType {
        /// The class of pushes that are delivered immediately.
        let immediate: Int

        /// Pushes that may be delivered within 450 seconds have a class of their own.
        func batching(_ priority: RenderedVariant.Priority) -> Int {
            switch priority {
            case .high: immediate
            case .normal: immediate + 10
            }
        }
    }

    /// By `X-WindowsPhone-Target`, which a raw push does not have.
    private static let types = [
        "token": PushType(immediate: 1), "toast": PushType(immediate: 2), "": PushType(immediate: 3),
    ]
}
