import COpenSSL

package enum ConstantTime {
    /// The run time depends only on the lengths, so that an attacker cannot guess a secret byte by byte.
    package static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
    }
}
