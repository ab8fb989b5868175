/// The part shared by all codes of one key (RFC 2104): both hash states after the key. OpenSSL's function looks up the
/// algorithm and processes the key for each code, which is most of the work for a short message.
final class HMACStart: Sendable {
    private static let blockBytes = 64

    let inner: SHA256Start
    let outer: SHA256Start

    init(_ key: [UInt8]) {
        let short = key.count > HMACStart.blockBytes ? SHA256.digest(of: key) : key
        let block = short + [UInt8](repeating: 0, count: HMACStart.blockBytes - short.count)
        inner = SHA256Start(block.map { $0 ^ 0x36 })
        outer = SHA256Start(block.map { $0 ^ 0x5C })
    }
}
