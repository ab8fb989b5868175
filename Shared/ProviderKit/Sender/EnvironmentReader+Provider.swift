package import ServiceKit

// Settings that providers have in common.
extension EnvironmentReader {
    package mutating func authorityFile(_ name: String, of provider: String) -> String? {
        file(name, meaning: "PEM file of certificate authorities to trust for \(provider), instead of the system's.")
    }

    /// A URL to which a path can be appended.
    package mutating func secureURL(_ name: String, default value: String, meaning: String) -> String {
        parse(
            name, default: value, text: value, meaning: meaning, expected: "an https URL without a trailing slash"
        ) {
            $0.hasPrefix("https://") && !$0.hasSuffix("/") ? $0 : nil
        }
    }
}
