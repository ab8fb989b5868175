import ServiceKit
import Signing

/// A team at Apple, with its signing key.
struct AppleAccount: Sendable {
    let keyID = "SIMULATOR1"
    let teamID = "CARILLON01"
    let keyFile: String
    let verificationKey: VerificationKey

    init(in folder: SimulatorFolder) throws {
        let key = try SigningKey.generated(for: .es256)
        keyFile = try folder.write("AuthKey_\(keyID).p8", secret: key.privateKeyText())
        verificationKey = key.verificationKey
    }
}
