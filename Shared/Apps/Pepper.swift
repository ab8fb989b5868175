import PushModel
import ServiceKit
import Signing

/// The secret that keys are hashed with. It is stored apart from the app files, so that these reveal nothing about a
/// key.
struct Pepper: Sendable {
    static let bytesMaximum = 4 * 1_024
    private static let lengthMinimum = 32

    private let key: HMACKey
    private let content: [UInt8]
    /// Compared with a key of an unknown id, so that the check takes as long as for a known id.
    let unknownKeyHash: [UInt8]

    /// Nil if there are too few bytes for a secret. Trailing line breaks are ignored.
    init?(fileContent: [UInt8]) {
        var content = fileContent
        while let last = content.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") { content.removeLast() }
        guard content.count >= Pepper.lengthMinimum else { return nil }
        self.content = content
        key = HMACKey(content)
        unknownKeyHash = SecureRandom.bytes(SHA256.byteCount)
    }

    /// Content of a new pepper file.
    static func randomFileContent() -> [UInt8] {
        Array("\(Hexadecimal.encode(SecureRandom.bytes(32)))\n".utf8)
    }

    func hash(of key: APIKey) -> [UInt8] {
        self.key.code(for: key.secret)
    }

    /// The key of an app's receipts; a new pepper makes all earlier proofs invalid.
    func receiptKey(of app: AppID) -> ReceiptKey {
        ReceiptKey(secret: content, app: app)
    }

    /// The key of an app's stream tickets; a new pepper makes all earlier tickets invalid.
    func streamTicketKey(of app: AppID) -> StreamTicketKey {
        StreamTicketKey(secret: content, app: app)
    }

    /// The key of the console's sessions; a new pepper ends all of them.
    var consoleSessionKey: ConsoleSessionKey { ConsoleSessionKey(secret: content) }

    func isSame(as other: Pepper) -> Bool {
        ConstantTime.areEqual(content, other.content)
    }
}
