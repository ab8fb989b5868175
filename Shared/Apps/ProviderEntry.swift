package import JSONKit

/// Credentials for one provider, as an operator hands them over.
package struct ProviderEntry: Sendable {
    /// Its name among `providers` in an app file.
    package let provider: String
    /// The entry in the app file, without the path of the secret.
    package let fields: JSONObject
    package let secret: Secret

    package struct Secret: Sendable {
        /// The field that holds the path of its file.
        package let field: String
        /// Completes the name of the file, after that of the app.
        package let ending: String
        package let bytes: [UInt8]

        package init(field: String, ending: String, bytes: [UInt8]) {
            self.field = field
            self.ending = ending
            self.bytes = bytes
        }
    }

    package init(provider: String, fields: JSONObject, secret: Secret) {
        self.provider = provider
        self.fields = fields
        self.secret = secret
    }
}
