/// The endpoint that receives the reports of the app's tasks.
package struct ReportEndpoint: Sendable, Equatable {
    package let url: String
    /// A file with the value of the `Authorization` header.
    package let authorizationFile: KeyFile?
    /// A file with the secret that reports are signed with.
    package let signingKeyFile: KeyFile?

    package init(url: String, authorizationFile: KeyFile? = nil, signingKeyFile: KeyFile? = nil) {
        self.url = url
        self.authorizationFile = authorizationFile
        self.signingKeyFile = signingKeyFile
    }
}
