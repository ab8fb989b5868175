import PushModel
import ServiceKit
import Signing

/// The subscriptions of all browsers. Their keys derive from their names and a seed, so that a million of them take no
/// memory, and those of one name are the same after a restart.
struct WebPushSubscriptions: Sendable {
    /// The addresses of a service in general, and those that answer as Apple's does.
    enum Vendor: String, CaseIterable, Sendable {
        case any
        case apple

        var addresses: DeviceAddress {
            switch self {
            case .any: DeviceAddress("/push/")
            case .apple: DeviceAddress("/apple/")
            }
        }
    }

    /// What the browser of one subscription keeps.
    struct Browser: Sendable {
        let key: ECDHKey
        let secret: [UInt8]
    }

    private let seed: HMACKey

    init(seed: String) {
        self.seed = HMACKey(Array(seed.utf8))
    }

    func browser(of name: String) -> Browser {
        let secret = Array(seed.code(for: Array("secret \(name)".utf8)).prefix(WebPushKeys.secretBytes))
        return Browser(key: key(of: name), secret: secret)
    }

    /// As `PushSubscription.toJSON()` of a browser prints it.
    func json(of name: String, at vendor: Vendor, origin: String) -> String {
        let browser = browser(of: name)
        return JSONText.object { json in
            json.member("endpoint", origin + vendor.addresses.start + name)
            json.member("expirationTime", json: "null")
            json.member(
                "keys",
                json: JSONText.object { keys in
                    keys.member("p256dh", Base64URL.encode(browser.key.publicPoint))
                    keys.member("auth", Base64URL.encode(browser.secret))
                })
        }
    }

    /// One in four billion codes is no private key, and the next one is taken.
    private func key(of name: String) -> ECDHKey {
        var attempt = 0
        while true {
            if let key = ECDHKey(privateKey: seed.code(for: Array("key \(attempt) \(name)".utf8))) { return key }
            attempt += 1
        }
    }
}
