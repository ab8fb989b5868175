/// The endpoint that is told the states of the app's messages to single users.
package struct WebhookEndpoint: Sendable, Equatable {
    package let url: String
    /// A file with the value of the `X-CTX-Secret` header.
    package let secretFile: KeyFile
    /// A file with the secret that requests are signed with.
    package let signingKeyFile: KeyFile?

    package init(url: String, secretFile: KeyFile, signingKeyFile: KeyFile? = nil) {
        self.url = url
        self.secretFile = secretFile
        self.signingKeyFile = signingKeyFile
    }
}
