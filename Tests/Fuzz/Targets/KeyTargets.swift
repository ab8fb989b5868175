import ServiceKit

@testable import Apps
@testable import PushModel
@testable import Signing

/// JSON Web Tokens and key files.
enum KeyTargets {
    static func tokens(_ bytes: [UInt8]) throws {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let token = JSONWebToken(text) else { return }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        try FuzzError.check(
            parts.count == 3 && Base64URL.encode(token.header) == parts[0]
                && Base64URL.encode(token.claims) == parts[1],
            message: "a token's parts read back differently")
        guard let key = VerificationKey(p256Point: point) else {
            throw FuzzError(description: "the generator of the curve is no key")
        }
        try FuzzError.check(!token.isSigned(by: key), message: "a signature of an unknown key verifies")
    }

    /// The first byte selects the kind of file.
    static func keys(_ bytes: [UInt8]) throws {
        var input = FuzzInput(bytes)
        let kind = input.number(below: 5)
        let content = input.remainder()
        switch kind {
        case 0: try key(content, algorithm: .es256)
        case 1: try key(content, algorithm: .rs256)
        case 2: _ = try? ServiceAccount(content, file: "account.json")
        case 3: try point(content)
        default: try pepper(content)
        }
    }

    /// An accepted key signs, and its signature verifies.
    private static func key(_ content: [UInt8], algorithm: SigningAlgorithm) throws {
        let pem = Secret(String(decoding: content, as: UTF8.self))
        guard let key = try? SigningKey(pem: pem, from: "key.pem", for: algorithm) else { return }
        _ = try? JWTSigner(key: key, keyID: "id").sign { $0.member("iss", "a") }
    }

    private static func point(_ content: [UInt8]) throws {
        _ = VerificationKey(p256Point: content)
        if let pair = ECDSASignature.pair(fromDER: content) {
            try FuzzError.check(
                ECDSASignature.der(fromPair: pair).flatMap { ECDSASignature.pair(fromDER: $0) } == pair,
                message: "a signature reads back differently")
        }
    }

    private static func pepper(_ content: [UInt8]) throws {
        guard let pepper = Pepper(fileContent: content) else { return }
        try FuzzError.check(content.count >= 32, message: "a short pepper is accepted")
        let again = Pepper(fileContent: content + [UInt8(ascii: "\n")])
        try FuzzError.check(again.map { pepper.isSame(as: $0) } == true, message: "a line break changes the pepper")
    }

    /// The generator of P-256, whose private key is one: the corpus contains no signature of it.
    private static let point: [UInt8] =
        Hexadecimal.decode(
            "046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
                + "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5") ?? []
}
