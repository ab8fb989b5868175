import Apps
import ProviderKit
import ServiceKit
import Signing

/// The secrets for posting an app's reports. The files are read each time, so that a fixed file counts immediately.
struct EndpointSecrets: Sendable {
    let authorization: Secret?
    let signingKey: HMACKey?

    private static let bytesMaximum = 16 << 10

    static func read(_ endpoint: ReportEndpoint) async throws(EndpointError) -> EndpointSecrets {
        let texts = await onNativeThread("report-keys") {
            [endpoint.authorizationFile, endpoint.signingKeyFile].map { $0.map(text) }
        }
        let (authorization, key) = (texts[0], texts[1])
        for (file, text) in [(endpoint.authorizationFile, authorization), (endpoint.signingKeyFile, key)] {
            if let file, text ?? nil == nil { throw EndpointError("\(file.field): no readable text in \(file.path)") }
        }
        return EndpointSecrets(
            authorization: authorization ?? nil,
            signingKey: (key ?? nil).map { HMACKey(Array($0.reveal().utf8)) })
    }

    /// Nil if it is empty or unreadable.
    private static func text(_ file: KeyFile) -> Secret? {
        SmallFile.read(file.path, bytesMaximum: bytesMaximum).flatMap { Secret(text: $0) }
    }
}

/// A report cannot be posted until the app's files are fixed.
struct EndpointError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
