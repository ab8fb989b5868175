import ServiceKit
import Signing

/// An app at Huawei.
struct HuaweiAccount: Sendable {
    let clientID = "100000001"
    /// The app's name in version 2 of the API.
    let projectID = "200000002"
    let clientSecret: Secret
    let clientSecretFile: String

    init(in folder: SimulatorFolder) throws {
        clientSecret = Secret(Hexadecimal.encode(SecureRandom.bytes(32)))
        clientSecretFile = try folder.write("huawei-client-secret", secret: clientSecret)
    }
}
