import ServiceKit
import Signing

/// The key with which an app signs its HTTP pushes.
struct HTTPReceiverAccount: Sendable {
    let key: HMACKey
    let signingKeyFile: String

    init(in folder: SimulatorFolder) throws {
        let secret = Secret(Hexadecimal.encode(SecureRandom.bytes(32)))
        key = HMACKey(Array(secret.reveal().utf8))
        signingKeyFile = try folder.write("http-signing-key", secret: secret)
    }
}
