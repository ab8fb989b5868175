/// The version shown by `--version`, the metrics and the user agent. Raise it together with the changelog.
package enum CarillonVersion {
    package static let current = "0.1.0"
}
