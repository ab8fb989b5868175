import Glibc
import ServiceKit

/// The one line that the simulator prints for the program that started it: its addresses and credential files.
struct Announcement: Sendable {
    let configuration: SimulatorConfiguration
    let ports: [Provider: UInt16]
    let adminPort: UInt16
    let certificates: ServerCertificates
    let apple: AppleAccount
    let google: GoogleAccount
    let serviceAccountFile: String
    let huawei: HuaweiAccount

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
        }
    }

    private func port(of provider: Provider) -> Int { Int(ports[provider] ?? 0) }

    private var apnsJSON: String {
        JSONText.object { json in
            json.member("port", port(of: .apns))
            json.member("key_file", apple.keyFile)
            json.member("key_id", apple.keyID)
            json.member("team_id", apple.teamID)
            json.member("topic", configuration.bundle)
            json.member("certificate_file", certificates.clientCertificateFile)
            json.member("certificate_key_file", certificates.clientKeyFile)
        }
    }

    private var fcmJSON: String {
        JSONText.object { json in
            json.member("port", port(of: .fcm))
            json.member("project", google.project)
            json.member("service_account_file", serviceAccountFile)
        }
    }

    private var huaweiJSON: String {
        JSONText.object { json in
            json.member("port", port(of: .huawei))
            json.member("client_id", huawei.clientID)
            json.member("project_id", huawei.projectID)
            json.member("client_secret_file", huawei.clientSecretFile)
            json.member("token_path", HuaweiRules.tokenPath)
        }
    }
}
