package import ServiceKit

extension HTTPServerConfiguration {
    private static let proxiesMaximum = 64

    /// True if the port of this prefix is to accept TLS only.
    package static func isSecured(_ prefix: String, environment: EnvironmentReader) -> Bool {
        environment.isSet("\(prefix)_TLS_CERTIFICATE")
    }

    /// For a port that clients of the installation reach: in addition `<prefix>_PROXIES`, `_PROXY_HEADER`,
    /// `_TLS_CERTIFICATE` and `_TLS_KEY`.
    package init(
        publicPortOf prefix: String, environment: inout EnvironmentReader, defaults: HTTPServerConfiguration
    ) {
        self.init(environment: &environment, prefix: prefix, defaults: defaults)
        proxies = HTTPServerConfiguration.proxies(prefix, &environment)
        tls = HTTPServerConfiguration.tlsFiles(prefix, from: &environment)
    }

    private static func tlsFiles(_ prefix: String, from environment: inout EnvironmentReader) -> TLSFiles? {
        let certificate = environment.file(
            "\(prefix)_TLS_CERTIFICATE",
            meaning:
                "PEM file with the certificate chain: the port then accepts TLS only, with HTTP/2 and HTTP/1.1. Reloaded "
                + "when it changes.")
        let privateKey = environment.file(
            "\(prefix)_TLS_KEY", meaning: "PEM file with the private key of the certificate.")
        switch (certificate, privateKey) {
        case (let certificate?, let privateKey?): return TLSFiles(certificate: certificate, privateKey: privateKey)
        case (nil, nil): return nil
        case (nil, _?):
            environment.reject(
                "\(prefix)_TLS_KEY", problem: "the certificate is missing",
                fix: "set \(prefix)_TLS_CERTIFICATE as well")
        case (_?, nil):
            environment.reject(
                "\(prefix)_TLS_CERTIFICATE", problem: "the private key is missing",
                fix: "set \(prefix)_TLS_KEY as well")
        }
        return nil
    }

    private static func proxies(_ prefix: String, _ environment: inout EnvironmentReader) -> TrustedProxies {
        let ranges = environment.parse(
            "\(prefix)_PROXIES", default: [AddressRange](), text: "",
            meaning: "Trusted proxies: the client address that they report is used.",
            expected: "up to \(proxiesMaximum) addresses or ranges separated by commas, such as 10.0.0.0/8"
        ) { text in
            let parts = text.split(separator: ",")
            let ranges = parts.compactMap { try? AddressRange(String($0)) }
            return ranges.count == parts.count && ranges.count <= proxiesMaximum ? ranges : nil
        }
        let names = TrustedProxies.Field.allCases.map(\.rawValue)
        let field = environment.parse(
            "\(prefix)_PROXY_HEADER", default: TrustedProxies.Field.xForwardedFor,
            text: TrustedProxies.Field.xForwardedFor.rawValue,
            meaning: "The header in which these proxies report the client; the other one is ignored.",
            expected: names.joined(separator: " or "), convert: TrustedProxies.Field.init(rawValue:))
        return TrustedProxies(ranges: ranges, field: field)
    }
}
