import PushModel
import Signing
import Testing

@Suite struct WebPushEncryptionTests {
    private let keys: WebPushKeys
    private let browser: ECDHKey
    private let sender: ECDHKey

    init() throws {
        keys = try #require(PublishedPush.keys())
        browser = try #require(ECDHKey(privateKey: PublishedPush.browserKey))
        sender = try #require(ECDHKey(privateKey: PublishedPush.senderKey))
    }

    @Test func bodyAndEachValueBeforeItAreAsPublished() throws {
        #expect(browser.publicPoint == PublishedPush.browserPoint && sender.publicPoint == PublishedPush.senderPoint)
        #expect(sender.sharedSecret(with: PublishedPush.browserPoint) == PublishedPush.agreed)
        #expect(browser.sharedSecret(with: PublishedPush.senderPoint) == PublishedPush.agreed)
        let derivation = KeyDerivation()
        #expect(
            derivation.extract(PublishedPush.agreed, salt: PublishedPush.secret) == PublishedPush.agreedExtract)
        let input = WebPushSecret.input(
            agreed: PublishedPush.agreed, secret: PublishedPush.secret, browserPoint: PublishedPush.browserPoint,
            senderPoint: PublishedPush.senderPoint, derivation: derivation)
        #expect(input == PublishedPush.input)
        #expect(derivation.extract(input, salt: PublishedPush.salt) == PublishedPush.inputExtract)
        let contentKeys = ContentKeys(input: input, salt: PublishedPush.salt, derivation: derivation)
        #expect(contentKeys.key == PublishedPush.contentKey && contentKeys.nonce == PublishedPush.nonce)
        let body = try WebPushEncryption.encryptReproducibly(
            Array(PublishedPush.plaintext.utf8), for: keys, sender: sender, salt: PublishedPush.salt)
        #expect(body == PublishedPush.body)
        #expect(try decrypt(body) == Array(PublishedPush.plaintext.utf8))
    }

    @Test(arguments: [0, 1, 15, 16, 17, 200, 3_992, 3_993])
    func eachPushHasItsOwnKeyAndSalt(byteCount: Int) throws {
        let plaintext = SecureRandom.bytes(byteCount)
        let bodies = try (0..<3).map { _ in try WebPushEncryption.encrypt(plaintext, for: keys) }
        for body in bodies {
            #expect(body.count == 86 + byteCount + 1 + 16)
            #expect(try decrypt(body) == plaintext)
        }
        let headers = try bodies.map { try #require(EncryptedContentHeader($0)) }
        #expect(headers.allSatisfy { $0.recordBytes == 4_096 && $0.keyID.count == 65 })
        #expect(Set(headers.map(\.salt)).count == 3 && Set(headers.map(\.keyID)).count == 3)
    }

    @Test func moreThanOneRecordHoldsIsRefused() {
        #expect(throws: WebPushError.tooLarge) {
            try WebPushEncryption.encrypt([UInt8](repeating: 0, count: 3_994), for: keys)
        }
    }

    @Test func aPointOffTheCurveIsRefused() throws {
        #expect(keys.isOnCurve)
        for position in [1, 32, 33, 64] {
            var point = PublishedPush.browserPoint
            point[position] ^= 1
            let wrong = try #require(PublishedPush.keys(point: point))
            #expect(!wrong.isOnCurve)
            #expect(throws: WebPushError.notOnCurve) { try WebPushEncryption.encrypt([1], for: wrong) }
            #expect(browser.sharedSecret(with: point) == nil)
        }
        let zero = try #require(PublishedPush.keys(point: [4] + [UInt8](repeating: 0, count: 64)))
        let largest = try #require(PublishedPush.keys(point: [4] + [UInt8](repeating: 255, count: 64)))
        #expect(!zero.isOnCurve && !largest.isOnCurve)
        // The point at infinity, compressed points, and points of another length.
        let compressed = [2] + Array(PublishedPush.browserPoint[1..<33])
        for point in [[], [0], [4], compressed, PublishedPush.browserPoint + [0]] {
            #expect(browser.sharedSecret(with: point) == nil)
        }
        // What failed leaves nothing behind.
        #expect(try decrypt(WebPushEncryption.encrypt([7], for: keys)) == [7])
    }

    @Test func aChangedBodyIsRefused() throws {
        let body = PublishedPush.body
        for position in body.indices {
            var changed = body
            changed[position] ^= 1
            switch position {
            // Any size that holds the record; no browser compares it with that of the sender.
            case 16...19: #expect(try decrypt(changed) == Array(PublishedPush.plaintext.utf8), "\(position)")
            case 20...85: #expect(throws: WebPushError.notOnCurve, "\(position)") { try decrypt(changed) }
            default: #expect(throws: WebPushError.notAuthentic, "\(position)") { try decrypt(changed) }
            }
        }
    }

    @Test func everyShorterBodyIsRefused() {
        for count in 0..<PublishedPush.body.count {
            #expect(throws: WebPushError.self) { try decrypt(Array(PublishedPush.body.prefix(count))) }
        }
        #expect(throws: WebPushError.truncated) { try decrypt(Array(PublishedPush.body.prefix(86 + 16))) }
        #expect(throws: WebPushError.notAuthentic) { try decrypt(Array(PublishedPush.body.prefix(86 + 17))) }
    }

    @Test func otherKeysOpenNothing() throws {
        let body = try WebPushEncryption.encrypt([1, 2, 3], for: keys)
        #expect(throws: WebPushError.notAuthentic) {
            try WebPushDecryption.decrypt(body, key: ECDHKey.generated(), secret: keys.secret)
        }
        #expect(throws: WebPushError.notAuthentic) {
            try WebPushDecryption.decrypt(body, key: browser, secret: [UInt8](repeating: 0, count: 16))
        }
        #expect(throws: WebPushError.failed) { try WebPushDecryption.decrypt(body, key: browser, secret: []) }
    }

    @Test func numbersOutsideTheCurveAreNoKeys() {
        var largest = PublishedPush.curveOrder
        largest[31] -= 1
        #expect(ECDHKey(privateKey: largest) != nil)
        #expect(ECDHKey(privateKey: PublishedPush.curveOrder) == nil)
        #expect(ECDHKey(privateKey: [UInt8](repeating: 0, count: 32)) == nil)
        #expect(ECDHKey(privateKey: [UInt8](repeating: 1, count: 31)) == nil)
        #expect(ECDHKey(privateKey: [UInt8](repeating: 1, count: 33)) == nil)
    }

    @Test func keysDoNotPrintThemselves() {
        let keys = ContentKeys(input: [1], salt: [2], derivation: KeyDerivation())
        #expect("\(browser)\(String(reflecting: browser))\(keys)" == "[secret][secret][secret]")
        #expect(Mirror(reflecting: browser).children.isEmpty && Mirror(reflecting: keys).children.isEmpty)
    }

    /// Threads share the pool of workspaces, and none may see the key of another.
    @Test func threadsEncryptAtTheSameTime() async throws {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for worker in 0..<8 {
                group.addTask {
                    let browser = ECDHKey.generated()
                    let keys = try #require(WebPushKeys(publicKey: browser.publicPoint, secret: keys.secret))
                    return try (0..<200).allSatisfy { number in
                        let plaintext = Array("\(worker) \(number)".utf8)
                        let body = try WebPushEncryption.encrypt(plaintext, for: keys)
                        return try WebPushDecryption.decrypt(body, key: browser, secret: keys.secret) == plaintext
                    }
                }
            }
            for try await isRight in group { #expect(isRight) }
        }
    }

    private func decrypt(_ body: [UInt8]) throws -> [UInt8] {
        try WebPushDecryption.decrypt(body, key: browser, secret: PublishedPush.secret)
    }
}
