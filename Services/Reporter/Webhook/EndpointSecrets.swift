import Apps
import ProviderKit
import ServiceKit
import Signing

/// The secrets for posting to an endpoint of an app.
struct EndpointSecrets: Sendable {
    /// The value of the header that authorizes a post.
    let header: Secret?
    let signingKey: HMACKey?
}

/// Reads the files each time, so that a fixed file counts immediately.
struct EndpointSecretFileReader: EndpointSecretReader {
    private static let bytesMaximum = 16 << 10

    func read(_ files: EndpointSecretFiles) async throws(EndpointError) -> EndpointSecrets {
        let all = [files.header, files.signingKey]
        let texts = await onNativeThread("report-keys") { all.map { $0.map(EndpointSecretFileReader.text) } }
        for (file, text) in zip(all, texts) {
            if let file, text ?? nil == nil { throw EndpointError("\(file.field): no readable text in \(file.path)") }
        }
        return EndpointSecrets(
            header: texts[0] ?? nil, signingKey: (texts[1] ?? nil).map { HMACKey(Array($0.reveal().utf8)) })
    }

    /// Nil if it is empty or unreadable.
    private static func text(_ file: KeyFile) -> Secret? {
        SmallFile.read(file.path, bytesMaximum: bytesMaximum).flatMap { Secret(text: $0) }
    }
}

/// Nothing can be posted until the app's files are fixed.
struct EndpointError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
