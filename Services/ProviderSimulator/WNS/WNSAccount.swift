import ServiceKit
import Signing

/// An app at Microsoft.
struct WNSAccount: Sendable {
    /// The package SID.
    let clientID = "ms-app://s-1-15-2-1000000001"
    /// For the tokens of the newer endpoint.
    let tenant = "00000000-0000-4000-8000-000000000001"
    let clientSecret: Secret
    let clientSecretFile: String

    init(in folder: SimulatorFolder) throws {
        clientSecret = Secret(Hexadecimal.encode(SecureRandom.bytes(32)))
        clientSecretFile = try folder.write("wns-client-secret", secret: clientSecret)
    }
}
