import COpenSSL

/// An ECDSA signature over P-256 in two encodings: OpenSSL's DER, and two concatenated numbers of 32 bytes, as JWS
/// requires (RFC 7518, section 3.4).
enum ECDSASignature {
    private static let numberByteCount = 32

    static func pair(fromDER der: [UInt8]) -> [UInt8]? {
        let signature = der.withUnsafeBufferPointer { bytes in
            var position = bytes.baseAddress
            return d2i_ECDSA_SIG(nil, &position, bytes.count)
        }
        guard let signature else { return nil }
        defer { ECDSA_SIG_free(signature) }
        guard let r = bytes(of: ECDSA_SIG_get0_r(signature)), let s = bytes(of: ECDSA_SIG_get0_s(signature)) else {
            return nil
        }
        return r + s
    }

    static func der(fromPair pair: [UInt8]) -> [UInt8]? {
        guard pair.count == 2 * numberByteCount, let signature = ECDSA_SIG_new() else { return nil }
        defer { ECDSA_SIG_free(signature) }
        let (r, s) = (Array(pair.prefix(numberByteCount)), Array(pair.suffix(numberByteCount)))
        // The signature owns both numbers from here on.
        guard
            ECDSA_SIG_set0(
                signature, BN_bin2bn(r, Int32(r.count), nil), BN_bin2bn(s, Int32(s.count), nil)) == 1
        else { return nil }
        var der = [UInt8](repeating: 0, count: Int(max(0, i2d_ECDSA_SIG(signature, nil))))
        let count = der.withUnsafeMutableBufferPointer { bytes in
            var position = bytes.baseAddress
            return i2d_ECDSA_SIG(signature, &position)
        }
        return count > 0 ? der : nil
    }

    private static func bytes(of number: OpaquePointer?) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: numberByteCount)
        return BN_bn2binpad(number, &bytes, Int32(numberByteCount)) == Int32(numberByteCount) ? bytes : nil
    }
}
