import COpenSSL

package enum ConstantTime {
    /// The time it takes depends on the lengths alone, so that an attacker cannot guess a secret byte by byte.
    package static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
    }
}
