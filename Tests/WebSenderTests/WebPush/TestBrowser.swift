import HTTP2
import ProviderKit
import PushModel
import Signing
import Topics

/// A browser with a subscription: it knows the private key, and reads what a push service would pass on to it.
struct TestBrowser: Sendable {
    let key = ECDHKey.generated()
    let secret = SecureRandom.bytes(WebPushKeys.secretBytes)

    var keys: WebPushKeys? { WebPushKeys(publicKey: key.publicPoint, secret: secret) }

    /// Nil if the push was not encrypted for this browser.
    func read(_ body: [UInt8]) -> String? {
        let content = try? WebPushDecryption.decrypt(body, key: key, secret: secret)
        return content.map { String(decoding: $0, as: UTF8.self) }
    }

    /// One push to each address; the task's number tells them apart.
    func pushes(
        _ addresses: [String], body: String = #"{"web_push":8030}"#, collapseID: String = "",
        priority: RenderedVariant.Priority = .high, expiration: UInt32 = 1_900_000_000
    ) -> [Push] {
        let content = PushContent(
            RenderedVariant(
                kind: .webpush, priority: priority, pushType: "", collapseID: collapseID, expiration: expiration,
                payload: PayloadTemplate(Array(body.utf8))))
        return addresses.enumerated().map { number, address in
            Push(
                id: TaskID(high: 2, low: UInt64(number)), token: address, isSandbox: false, content: content, badge: 0,
                webPushKeys: keys)
        }
    }
}
