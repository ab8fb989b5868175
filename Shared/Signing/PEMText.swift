import COpenSSL

/// Collects PEM output of OpenSSL in memory.
enum PEMText {
    /// `write` returns 1 for success, as OpenSSL's functions do.
    static func write(_ write: (OpaquePointer) -> Int32) -> String? {
        guard let memory = BIO_new(BIO_s_mem()) else { return nil }
        defer { BIO_free(memory) }
        guard write(memory) == 1 else { return nil }
        var bytes = [UInt8](repeating: 0, count: BIO_ctrl_pending(memory))
        let count = BIO_read(memory, &bytes, Int32(bytes.count))
        return count == bytes.count ? String(decoding: bytes, as: UTF8.self) : nil
    }
}
