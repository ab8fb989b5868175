import COpenSSL

/// Bytes that nobody can predict: keys, salts, secrets. `RandomSource` is for jitter and ids.
package enum SecureRandom {
    package static func bytes(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let status = RAND_bytes(&bytes, Int32(count))
        // To go on with anything else would hand out keys that can be guessed.
        precondition(status == 1, "the system gave no random bytes: \(OpenSSLErrors.take())")
        return bytes
    }
}
