import PushModel
package import ServiceKit
import Signing

/// The right of a browser to act with a key for some time, without having the key. No server keeps it: each request
/// carries it, signed. It ends at its time, and with the key.
package struct ConsoleSession: Sendable, Equatable {
    package static let life = Duration.seconds(12 * 3_600)
    /// More than any session has; a longer text is not read.
    static let textBytesMaximum = 512
    private static let version = "1"
    private static let nonceBytes = 16
    private static let separator = UInt8(ascii: "\n")

    package let keyID: String
    package let ends: Timestamp
    /// Makes the session different from any other one of the key.
    private let nonce: String

    init(keyID: String, ends: Timestamp, nonce: String = Hexadecimal.encode(SecureRandom.bytes(nonceBytes))) {
        self.keyID = keyID
        self.ends = ends
        self.nonce = nonce
    }

    /// Nil for content that no version of Carillon wrote.
    init?(content: [UInt8]) {
        let fields = content.split(separator: ConsoleSession.separator, omittingEmptySubsequences: false)
            .map { OutsideText.string($0) }
        guard fields.count == 4, fields[0] == ConsoleSession.version, let keyID = fields[1],
            let ends = fields[2].flatMap({ Int64($0) }), let nonce = fields[3]
        else { return nil }
        self.init(keyID: keyID, ends: Timestamp(milliseconds: ends), nonce: nonce)
    }

    fileprivate var content: [UInt8] {
        Array([ConsoleSession.version, keyID, "\(ends.milliseconds)", nonce].joined(separator: "\n").utf8)
    }
}

/// Signs and checks sessions. The hash of the key is signed too, so that a key that replaces another one of its id does
/// not continue its sessions.
struct ConsoleSessionSigner: Sendable {
    let key: ConsoleSessionKey

    func text(of session: ConsoleSession, hash: [UInt8]) -> String {
        Base64URL.encode(session.content + key.code(for: session.content + hash))
    }

    /// What a page sends with each change, which another page cannot know.
    func token(of session: ConsoleSession) -> String {
        Base64URL.encode(key.code(for: Array("token\n".utf8) + session.content))
    }

    /// The session as it was presented, and its code; not to be trusted before `isSigned`. Nil for any other text.
    static func parse(_ text: String) -> (session: ConsoleSession, code: [UInt8])? {
        guard text.utf8.count <= ConsoleSession.textBytesMaximum, let bytes = Base64URL.decode(text),
            bytes.count > ConsoleSessionKey.codeBytes,
            let session = ConsoleSession(content: Array(bytes.dropLast(ConsoleSessionKey.codeBytes)))
        else { return nil }
        return (session, Array(bytes.suffix(ConsoleSessionKey.codeBytes)))
    }

    func isSigned(_ session: ConsoleSession, code: [UInt8], hash: [UInt8]) -> Bool {
        key.isCode(code, for: session.content + hash)
    }
}
