import PushModel

/// Keys of an app, derived from the installation's secret for one purpose alone (RFC 5869, with one block of output).
enum AppKeyDerivation {
    /// The label names the purpose; what was signed is valid as long as label and secret remain.
    static func key(_ label: String, secret: [UInt8], app: AppID) -> [UInt8] {
        let extracted = HMACKey(Array(label.utf8)).code(for: secret)
        return HMACKey(extracted).code(for: Array(app.text.utf8) + [1])
    }
}
