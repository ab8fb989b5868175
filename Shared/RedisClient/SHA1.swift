import TLSSocket

/// SHA-1, which Redis names scripts by. Not for anything that has to withstand forgery.
package enum SHA1 {
    /// Its 20 bytes, to spread names over buckets by and to tell them apart within one.
    package static func digest(_ message: [UInt8]) -> [UInt8] {
        OpenSSLDigest.sha1(of: message)
    }
}
