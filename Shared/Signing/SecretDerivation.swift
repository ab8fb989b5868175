import PushModel

/// Keys derived from the installation's secret for one purpose alone (RFC 5869, with one block of output).
enum SecretDerivation {
    /// The label names the purpose; what was signed is valid as long as label and secret remain. Without an app, the key
    /// is for all apps of the installation.
    static func key(_ label: String, secret: [UInt8], app: AppID? = nil) -> [UInt8] {
        let extracted = HMACKey(Array(label.utf8)).code(for: secret)
        return HMACKey(extracted).code(for: Array((app?.text ?? "").utf8) + [1])
    }
}
