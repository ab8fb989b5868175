import ServiceKit
import Signing

/// A service account at Google.
struct GoogleAccount: Sendable {
    let project: String
    let email: String
    private let key: SigningKey

    init(project: String) throws {
        self.project = project
        email = "simulator@\(project).iam.gserviceaccount.com"
        key = try SigningKey.generated(for: .rs256)
    }

    var verificationKey: VerificationKey { key.verificationKey }

    /// Writes the account in the format of Google's console. Returns the file's path.
    func write(in folder: SimulatorFolder, tokenURL: String) throws -> String {
        let keyText = try key.privateKeyText()
        let document = JSONText.object { json in
            json.member("type", "service_account")
            json.member("project_id", project)
            json.member("private_key_id", "simulator")
            json.member("private_key", keyText.reveal())
            json.member("client_email", email)
            json.member("client_id", "100000000000000000000")
            json.member("token_uri", tokenURL)
        }
        return try folder.write("service-account.json", secret: Secret(document + "\n"))
    }
}
