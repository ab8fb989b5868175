import PushModel
import ServiceKit
import Signing
import Topics

/// The keys of the publisher and of all browsers: one subscription serves them all, since encryption costs
/// the same for each.
struct LocalBrowsers: Sendable {
    static let payload =
        #"{"web_push":8030,"notification":{"title":"Bench","body":"A push like any other","#
        + #""navigate":"https://news.example/1"}}"#

    let vapid: VAPIDKey
    let keys: WebPushKeys

    init() throws {
        vapid = try VAPIDKey.generated()
        guard
            let keys = WebPushKeys(
                publicKey: ECDHKey.generated().publicPoint, secret: SecureRandom.bytes(WebPushKeys.secretBytes))
        else { throw BenchError("no keys for browsers") }
        self.keys = keys
    }

    func content(_ address: @escaping @Sendable (Int) -> String) -> DispatchContent {
        DispatchContent(
            topic: Topics.dispatchWeb,
            variant: RenderedVariant(
                kind: .webpush, priority: .high, pushType: "", collapseID: "bench", expiration: .max,
                payload: PayloadTemplate(Array(LocalBrowsers.payload.utf8)))
        ) { [keys] index in
            let token = try PushToken(.webpush, text: address(Int(index.rawValue)))
            var device = Device(tag: index.rawValue, token: token, created: 1_700_000_000)
            device.webPushKeys = keys
            return device
        }
    }

    /// A web-sender with one app that these browsers have subscribed to.
    func sender(
        _ service: LocalPushService, app: AppID, bus: String, variables: [String: String] = [:]
    ) throws -> LocalSender {
        let credentials = JSONText.object { json in
            json.member("key_file", "webpush.pem")
            json.member("contact", "mailto:bench@example.com")
        }
        return try LocalSender(
            "web-sender", app: app, providers: #"{"webpush":\#(credentials)}"#,
            files: ["webpush.pem": try vapid.privateKeyText()],
            variables: [
                "CARILLON_WEBPUSH_SERVICES": "localhost:\(service.http2Port)",
                "CARILLON_WEBPUSH_CA_FILE": service.authorityFile,
                "CARILLON_WEB_ALLOW_ADDRESSES": "127.0.0.0/8,::1/128",
                // Nothing in the bench brings back a push that was held back.
                "CARILLON_WEB_SERVER_WAIT": "10s",
            ].merging(variables) { $1 }, bus: bus)
    }
}
