import COpenSSL

/// Key agreement on P-256 with memory that is used again for each message: most of the work for a push is done here,
/// and OpenSSL's own key objects would add a sixth to it. One thread at a time.
final class P256Arithmetic {
    static let pointBytes = 65
    static let numberBytes = 32

    private let group: OpaquePointer
    private let scratch: OpaquePointer
    /// The private key of the current message.
    private let scalar: OpaquePointer
    private let coordinate: OpaquePointer
    private let ownPoint: OpaquePointer
    private let peerPoint: OpaquePointer
    private let product: OpaquePointer

    init() {
        guard let group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1), let scratch = BN_CTX_new(),
            let scalar = BN_secure_new(), let coordinate = BN_new(), let ownPoint = EC_POINT_new(group),
            let peerPoint = EC_POINT_new(group), let product = EC_POINT_new(group)
        else { preconditionFailure("OpenSSL does not provide P-256: \(OpenSSLErrors.take())") }
        BN_set_flags(scalar, BN_FLG_CONSTTIME)
        (self.group, self.scratch, self.scalar, self.coordinate) = (group, scratch, scalar, coordinate)
        (self.ownPoint, self.peerPoint, self.product) = (ownPoint, peerPoint, product)
    }

    deinit {
        for point in [ownPoint, peerPoint, product] { EC_POINT_clear_free(point) }
        BN_clear_free(scalar)
        BN_clear_free(coordinate)
        BN_CTX_free(scratch)
        EC_GROUP_free(group)
    }

    /// Draws a private key.
    func makeKey() {
        repeat {
            let status = BN_priv_rand_range(scalar, EC_GROUP_get0_order(group))
            // Continuing with anything else would yield keys that can be guessed.
            precondition(status == 1, "the system provided no random number: \(OpenSSLErrors.take())")
        } while BN_is_zero(scalar) == 1
    }

    /// False unless the bytes are a private key: at least 1 and below the order of the curve.
    func setKey(_ bytes: [UInt8]) -> Bool {
        guard bytes.count == P256Arithmetic.numberBytes, BN_bin2bn(bytes, Int32(bytes.count), scalar) != nil else {
            return false
        }
        return BN_is_zero(scalar) == 0 && BN_cmp(scalar, EC_GROUP_get0_order(group)) < 0
    }

    func forgetKey() {
        BN_clear(scalar)
    }

    /// The uncompressed point of the current key.
    func publicPoint() -> [UInt8]? {
        guard EC_POINT_mul(group, ownPoint, scalar, nil, nil, scratch) == 1 else { return nil }
        var bytes = [UInt8](repeating: 0, count: P256Arithmetic.pointBytes)
        let count = EC_POINT_point2oct(
            group, ownPoint, POINT_CONVERSION_UNCOMPRESSED, &bytes, bytes.count, scratch)
        return count == bytes.count ? bytes : nil
    }

    /// The x coordinate of the product of the current key and that point (RFC 5903, section 9); nil if the point is not
    /// on the curve. The curve's cofactor is 1, so a point on it needs no further check.
    func sharedSecret(with point: [UInt8]) -> [UInt8]? {
        guard setPeer(point), EC_POINT_mul(group, product, nil, peerPoint, scalar, scratch) == 1,
            EC_POINT_get_affine_coordinates(group, product, coordinate, nil, scratch) == 1
        else { return nil }
        var secret = [UInt8](repeating: 0, count: P256Arithmetic.numberBytes)
        return BN_bn2binpad(coordinate, &secret, Int32(secret.count)) == Int32(secret.count) ? secret : nil
    }

    func isOnCurve(_ point: [UInt8]) -> Bool {
        setPeer(point)
    }

    /// OpenSSL refuses a point off the curve.
    private func setPeer(_ point: [UInt8]) -> Bool {
        guard point.count == P256Arithmetic.pointBytes else { return false }
        defer { ERR_clear_error() }
        return EC_POINT_oct2point(group, peerPoint, point, point.count, scratch) == 1
    }
}
