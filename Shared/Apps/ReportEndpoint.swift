/// Where the app's owner wants to hear how its tasks went.
package struct ReportEndpoint: Sendable, Equatable {
    package let url: String
    /// A file with the value of the `Authorization` header.
    package let authorizationFile: KeyFile?
}
