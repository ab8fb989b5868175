/// The version that `--version`, the metrics and the user agent show; raised with the changelog.
package enum CarillonVersion {
    package static let current = "0.1.0"
}
