import HTTPServer
import Signing

/// An idempotency key: of several requests with one key, one is carried out.
struct SubmissionKey: Sendable, Equatable {
    /// Unique among the keys of one caller in one app. A name that is not from the header `Idempotency-Key` begins with
    /// a control character, which the header cannot contain.
    let name: String
    /// Digest of everything in which another request with the same key may differ.
    let fingerprint: [UInt8]
}

extension SubmissionKey {
    /// The key in the header `Idempotency-Key`; nil for a request without one.
    init?(header request: HTTPRequest) throws(TaskError) {
        guard let name = try IdempotencyHeader.key(of: request) else { return nil }
        self.init(name: name, request: request, content: request.body.bytes)
    }

    /// A key for this part of the request's body.
    init(name: String, request: HTTPRequest, content: some Collection<UInt8>) {
        let line = "\(request.method) \(request.path)?\(request.query)\n"
        self.init(name: name, fingerprint: SHA256.digest(of: Array(line.utf8) + content))
    }
}
