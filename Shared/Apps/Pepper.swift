import PushModel
import Signing

/// The secret under which keys are hashed; it stands apart from the apps' files, so that whoever reads those learns
/// nothing about a key.
struct Pepper: Sendable {
    static let bytesMaximum = 4 * 1_024
    private static let lengthMinimum = 32

    private let key: HMACKey
    private let content: [UInt8]
    /// What a key is compared with whose id nobody has, so that the answer takes as long as for one that somebody has.
    let nobodysHash: [UInt8]

    /// Nil when there are too few bytes to be a secret. Line breaks at the end do not count.
    init?(fileContent: [UInt8]) {
        var content = fileContent
        while let last = content.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") { content.removeLast() }
        guard content.count >= Pepper.lengthMinimum else { return nil }
        self.content = content
        key = HMACKey(content)
        nobodysHash = SecureRandom.bytes(SHA256.byteCount)
    }

    /// The content of a new pepper's file.
    static func randomFileContent() -> [UInt8] {
        Array("\(Hexadecimal.encode(SecureRandom.bytes(32)))\n".utf8)
    }

    func hash(of key: APIKey) -> [UInt8] {
        self.key.code(for: key.secret)
    }

    func isSame(as other: Pepper) -> Bool {
        ConstantTime.areEqual(content, other.content)
    }
}
