import Glibc
import ServiceKit

/// The one line that the simulator prints for the program that started it: its addresses and credential files.
struct Announcement: Sendable {
    let configuration: SimulatorConfiguration
    let ports: [Provider: UInt16]
    /// Scheme, host and port.
    let origins: [Provider: String]
    let adminPort: UInt16
    let certificates: ServerCertificates
    let accounts: SimulatedAccounts
    let serviceAccountFile: String

    var json: String {
        JSONText.object { json in
            json.member("ready", true)
            json.member("pid", Int(getpid()))
            json.member("admin", "http://\(configuration.address):\(adminPort)")
            json.member("admin_port", Int(adminPort))
            json.member("host", configuration.host)
            json.member("ca_file", certificates.authorityFile)
            json.member("apns", json: apnsJSON)
            json.member("fcm", json: fcmJSON)
            json.member("huawei", json: huaweiJSON)
            json.member("webpush", json: webPushJSON)
            json.member("wns", json: wnsJSON)
            json.member("mpns", json: mpnsJSON)
            json.member("http", json: httpJSON)
        }
    }

    private func port(of provider: Provider) -> Int { Int(ports[provider] ?? 0) }

    /// An address of a device is this followed by a name.
    private func endpoint(of provider: Provider, _ addresses: DeviceAddress) -> String {
        (origins[provider] ?? "") + addresses.start
    }

    private var apnsJSON: String {
        JSONText.object { json in
            json.member("port", port(of: .apns))
            json.member("key_file", accounts.apple.keyFile)
            json.member("key_id", accounts.apple.keyID)
            json.member("team_id", accounts.apple.teamID)
            json.member("topic", configuration.bundle)
            json.member("certificate_file", certificates.clientCertificateFile)
            json.member("certificate_key_file", certificates.clientKeyFile)
        }
    }

    private var fcmJSON: String {
        JSONText.object { json in
            json.member("port", port(of: .fcm))
            json.member("project", accounts.google.project)
            json.member("service_account_file", serviceAccountFile)
        }
    }

    private var huaweiJSON: String {
        JSONText.object { json in
            json.member("port", port(of: .huawei))
            json.member("client_id", accounts.huawei.clientID)
            json.member("project_id", accounts.huawei.projectID)
            json.member("client_secret_file", accounts.huawei.clientSecretFile)
            json.member("token_path", HuaweiRules.tokenPath)
        }
    }

    private var webPushJSON: String {
        JSONText.object { json in
            json.member("port", port(of: .webpush))
            json.member("endpoint", endpoint(of: .webpush, WebPushSubscriptions.Vendor.any.addresses))
            json.member("apple_endpoint", endpoint(of: .webpush, WebPushSubscriptions.Vendor.apple.addresses))
        }
    }

    private var wnsJSON: String {
        JSONText.object { json in
            json.member("port", port(of: .wns))
            json.member("endpoint", endpoint(of: .wns, WNSRules.channels))
            json.member("client_id", accounts.wns.clientID)
            json.member("client_secret_file", accounts.wns.clientSecretFile)
            json.member("tenant", accounts.wns.tenant)
            json.member("token_path", WNSRules.tokenPath)
        }
    }

    private var mpnsJSON: String {
        JSONText.object { json in
            json.member("port", port(of: .mpns))
            json.member("endpoint", endpoint(of: .mpns, MPNSRules.channels))
        }
    }

    private var httpJSON: String {
        JSONText.object { json in
            json.member("port", port(of: .http))
            json.member("endpoint", endpoint(of: .http, HTTPReceiverRules.devices))
            json.member("signing_key_file", accounts.http.signingKeyFile)
        }
    }
}
