import JSONKit
import ServiceKit
import Signing

/// What the browser of a subscription finds in the body of a push.
struct WebPushContent: Sendable, Equatable {
    /// Decrypted.
    let plaintext: [UInt8]
    let task: String?

    private static let bodyBytesMaximum = 4_096
    private static let declarativeVersion = JSON.integer(8_030)

    /// An empty body is a push without content. `senderKey` is the key that signed the push.
    init(_ body: [UInt8], for browser: WebPushSubscriptions.Browser, senderKey: [UInt8]) throws(WebPushRefusal) {
        if body.count > WebPushContent.bodyBytesMaximum { throw .payloadTooLarge }
        guard !body.isEmpty else {
            (plaintext, task) = ([], nil)
            return
        }
        // A key that signs must not be used for key agreement, too (RFC 8292, section 3.2).
        if EncryptedContentHeader(body)?.keyID == senderKey { throw .undecipherable }
        do {
            plaintext = try WebPushDecryption.decrypt(body, key: browser.key, secret: browser.secret)
        } catch {
            throw .undecipherable
        }
        let document = try? JSON(plaintext)
        if document?["web_push"] == WebPushContent.declarativeVersion {
            guard WebPushContent.isComplete(document?["notification"]) else { throw .badDeclarativeMessage }
        }
        task = document.flatMap(TaskInPayload.id)
    }

    /// The members that a browser requires to show a declarative message without a service worker.
    private static func isComplete(_ notification: JSON?) -> Bool {
        notification?["title"]?.text?.isEmpty == false
            && notification?["navigate"]?.text.map(isAddress) == true
    }

    /// A path is one on the server of the page.
    private static func isAddress(_ text: String) -> Bool {
        text.utf8.first == UInt8(ascii: "/") || WebAddress(text) != nil
    }
}
