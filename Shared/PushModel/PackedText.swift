/// Six bits a character for texts of the base64url alphabet with at most one colon in between, as FCM tokens are: a
/// quarter less of what takes most of the registry's memory.
enum PackedText {
    /// Nil where the text has other characters or would not become shorter.
    static func pack(_ text: String) -> [UInt8]? {
        let characters = Array(text.utf8)
        let colons = characters.indices.filter { characters[$0] == UInt8(ascii: ":") }
        guard colons.count <= 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.append(variableInteger: characters.count - colons.count)
        bytes.append(variableInteger: colons.first.map { $0 + 1 } ?? 0)
        var bits = BitQueue()
        for (position, character) in characters.enumerated() where position != colons.first {
            let value = Base64URL.values[Int(character)]
            guard value < 64 else { return nil }
            bits.append(value, count: 6)
            if bits.count >= 8 { bytes.append(bits.removeFirst(8)) }
        }
        if bits.count > 0 { bytes.append(bits.removeLastPadded(8)) }
        return bytes.count < characters.count ? bytes : nil
    }

    static func unpack(_ bytes: ArraySlice<UInt8>) -> String? {
        var reader = ByteReader(bytes)
        guard let count = reader.variableInteger(), let colon = reader.variableInteger(), colon <= count + 1 else {
            return nil
        }
        let packed = reader.rest()
        guard packed.count == (count * 6 + 7) / 8 else { return nil }
        var characters: [UInt8] = []
        characters.reserveCapacity(count + 1)
        var bits = BitQueue()
        for byte in packed {
            bits.append(byte, count: 8)
            while bits.count >= 6, characters.count < count {
                characters.append(Base64URL.alphabet[Int(bits.removeFirst(6))])
            }
        }
        if colon > 0 { characters.insert(UInt8(ascii: ":"), at: colon - 1) }
        return String(decoding: characters, as: UTF8.self)
    }
}
