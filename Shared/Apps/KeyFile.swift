/// A file with a secret that an app file refers to.
package struct KeyFile: Sendable, Hashable {
    /// The field in the app file, such as `providers.apns.key_file`.
    package let field: String
    /// The path to open; relative paths are already resolved against the folder of the apps.
    package let path: String

    package init(field: String, path: String) {
        self.field = field
        self.path = path
    }
}
