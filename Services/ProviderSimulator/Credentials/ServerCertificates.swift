import ServiceKit
import Signing

/// The CA of one run, the certificate of its ports, and one that a client may present in place of a token.
struct ServerCertificates: Sendable {
    let authorityFile: String
    let certificateFile: String
    let keyFile: String
    let clientCertificateFile: String
    let clientKeyFile: String

    /// The providers' hosts are among the names, for clients whose host cannot be set and is redirected instead.
    private static let providerNames = [
        "api.push.apple.com", "api.sandbox.push.apple.com", "api.development.push.apple.com", "fcm.googleapis.com",
        "api-manage-broadcast.push.apple.com", "api-manage-broadcast.sandbox.push.apple.com",
        "api-broadcast.push.apple.com", "api-broadcast.sandbox.push.apple.com",
        "oauth2.googleapis.com", "push-api.cloud.huawei.com", "oauth-login.cloud.huawei.com",
    ]
    private static let validity = Duration.seconds(30 * 86_400)

    init(in folder: SimulatorFolder, host: String, bundle: String) throws {
        let authority = try CertificateAuthority(name: "Carillon simulator", validity: ServerCertificates.validity)
        let names = Set(["localhost", host] + ServerCertificates.providerNames).sorted()
        let server = try authority.issue(
            host, for: .server(names: names.map { "DNS:\($0)" } + ["IP:127.0.0.1", "IP:::1"]))
        let client = try authority.issue(AppleRules.certificatePrefix + bundle, for: .client)
        authorityFile = try folder.write("ca.pem", text: authority.certificateText)
        certificateFile = try folder.write("server.pem", text: server.certificateText)
        keyFile = try folder.write("server.key", secret: server.privateKeyText)
        clientCertificateFile = try folder.write("apns-client.pem", text: client.certificateText)
        clientKeyFile = try folder.write("apns-client.key", secret: client.privateKeyText)
    }
}
