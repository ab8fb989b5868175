import COpenSSL

/// Unpredictable bytes for keys, salts and secrets. `RandomSource` is for jitter and ids.
package enum SecureRandom {
    package static func bytes(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let status = RAND_bytes(&bytes, Int32(count))
        // Continuing with anything else would yield keys that can be guessed.
        precondition(status == 1, "the system provided no random bytes: \(OpenSSLErrors.take())")
        return bytes
    }
}
