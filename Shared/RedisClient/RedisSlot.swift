/// The 16,384 hash slots of a cluster.
enum RedisSlot {
    static let count = 16_384

    /// Keys that share the text between the first `{` and the next `}` share a slot, unless that text is empty.
    static func of(_ key: some Collection<UInt8>) -> Int {
        guard let open = key.firstIndex(of: UInt8(ascii: "{")) else { return Int(crc16(key)) % count }
        let behind = key[key.index(after: open)...]
        guard let close = behind.firstIndex(of: UInt8(ascii: "}")), close != behind.startIndex else {
            return Int(crc16(key)) % count
        }
        return Int(crc16(behind[..<close])) % count
    }

    /// CRC-16/XMODEM: polynomial 0x1021, starting from zero.
    static func crc16(_ bytes: some Sequence<UInt8>) -> UInt16 {
        bytes.reduce(0) { $0 << 8 ^ table[Int(UInt8($0 >> 8) ^ $1)] }
    }

    private static let table: [UInt16] = (0..<256).map { index in
        (0..<8).reduce(UInt16(index) << 8) { crc, _ in crc & 0x8000 != 0 ? crc << 1 ^ 0x1021 : crc << 1 }
    }
}
