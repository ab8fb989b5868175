/// A file beside the app's own that holds something secret.
package struct KeyFile: Sendable, Hashable {
    /// Where the app file names it, such as `providers.apns.key_file`.
    package let field: String
    /// As it can be opened: a relative path was written relative to the folder of the apps.
    package let path: String

    package init(field: String, path: String) {
        self.field = field
        self.path = path
    }
}
