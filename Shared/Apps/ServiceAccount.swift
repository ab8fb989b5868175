import JSONKit
package import ServiceKit
package import Signing

/// A service account of Google, read from its JSON file.
package struct ServiceAccount: Sendable {
    /// Why a file is not a service account. The text contains nothing of the file.
    package struct FormatError: Error, CustomStringConvertible {
        package let description: String
    }

    package let project: String
    package let email: String
    package let tokenURL: String
    private let signer: JWTSigner

    package static let bytesMaximum = 64 << 10
    /// OAuth scope of the requested token.
    private static let scope = "https://www.googleapis.com/auth/firebase.messaging"
    private static let lifetime: Int64 = 3_600

    /// `file` is the name used in errors.
    package init(_ bytes: [UInt8], file: String) throws(FormatError) {
        let document: JSON
        do throws(JSONError) {
            document = try JSON(bytes)
        } catch {
            throw FormatError(description: "\(file) is not valid JSON: \(error)")
        }
        let problems = JSONProblems()
        let fields = JSONFields(document, problems: problems)
        let email = fields.text("client_email", isRequired: true)
        let project = fields.text("project_id", expected: "an id or a number", isRequired: true) {
            ServiceAccount.isProject($0) ? $0 : nil
        }
        let key = fields.text("private_key", bytesMaximum: 16 << 10, isRequired: true)
        let keyID = fields.text("private_key_id")
        let tokenURL = fields.text("token_uri", expected: "an https URL", isRequired: true) {
            $0.hasPrefix("https://") ? $0 : nil
        }
        guard let email, let project, let key, let tokenURL, problems.all.isEmpty else {
            let list = problems.all.map(\.description).joined(separator: "; ")
            throw FormatError(description: "\(file) is not a service account: \(list)")
        }
        do throws(SigningError) {
            let signingKey = try SigningKey(pem: Secret(key), from: "private_key of \(file)", for: .rs256)
            signer = JWTSigner(key: signingKey, keyID: keyID)
        } catch {
            throw FormatError(description: error.description)
        }
        self.email = email
        self.project = project
        self.tokenURL = tokenURL
    }

    /// Checked because the project is part of a URL path.
    package static func isProject(_ text: String) -> Bool {
        1...64 ~= text.utf8.count
            && text.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-.:_".utf8.contains($0) }
    }

    /// The signed JWT for a token request.
    package func assertion(at now: Timestamp) throws(SigningError) -> Secret {
        let issued = now.milliseconds / 1_000
        return try signer.sign { claims in
            claims.member("iss", email)
            claims.member("scope", ServiceAccount.scope)
            claims.member("aud", tokenURL)
            claims.member("iat", Int(issued))
            claims.member("exp", Int(issued + ServiceAccount.lifetime))
        }
    }
}
