import HTTP2
import JSONKit
import ServiceKit
import Signing

/// The simulator's service account for Google, and requests for its access tokens.
struct GoogleAccess {
    private static let scope = "https://www.googleapis.com/auth/firebase.messaging"
    private let project: String
    private let simulator: SimulatorAnnouncement
    private let email: String
    private let tokenURL: String
    private let signer: JWTSigner

    init(_ simulator: SimulatorAnnouncement) throws {
        self.simulator = simulator
        let file = try simulator.text("fcm", "service_account_file")
        guard let account = try? JSON(SmallFile.read(file, bytesMaximum: 64 << 10) ?? []),
            let project = account["project_id"]?.text, let email = account["client_email"]?.text,
            let tokenURL = account["token_uri"]?.text, let key = account["private_key"]?.text
        else { throw BenchError("\(file) is not a service account") }
        self.project = project
        self.email = email
        self.tokenURL = tokenURL
        signer = JWTSigner(key: try SigningKey(pem: Secret(key), from: file, for: .rs256))
    }

    /// To which pushes are sent.
    var path: String { "/v1/projects/\(project)/messages:send" }

    func token() async throws -> String {
        let issued = Int(SystemTimeSource().now.milliseconds / 1_000)
        let assertion = try signer.sign { claims in
            claims.member("iss", email)
            claims.member("scope", GoogleAccess.scope)
            claims.member("aud", tokenURL)
            claims.member("iat", issued)
            claims.member("exp", issued + 3_600)
        }
        let form = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=\(assertion.reveal())"
        let pool = HTTP2Pool(simulator.endpoint("fcm"), configuration: simulator.trust, log: .bench, metrics: Metrics())
        let outcome = await pool.send(
            HTTP2Request(
                .post, "/token", headers: ["content-type": "application/x-www-form-urlencoded"],
                body: Array(form.utf8)))
        await pool.close()
        guard case .answered(let response) = outcome, let token = (try? JSON(response.body))?["access_token"]?.text
        else { throw BenchError("the simulator returned no access token: \(outcome)") }
        return token
    }
}
