/// The id of a registration: opaque to the app, eleven characters. It contains the device's index, so that no table is
/// needed to find it, and a random tag, so that ids cannot be guessed.
package struct DeviceID: Hashable, Sendable, CustomStringConvertible {
    package let index: DeviceIndex
    package let tag: UInt32

    package init(index: DeviceIndex, tag: UInt32) {
        self.index = index
        self.tag = tag
    }

    /// Nil if the text is not a device id.
    package init?(_ text: String) {
        guard text.utf8.count == 11, let bytes = Base64URL.decode(text) else { return nil }
        var reader = ByteReader(bytes)
        guard let tag = reader.integer(UInt32.self), let hidden = reader.integer(UInt32.self) else { return nil }
        self.init(index: DeviceIndex(rawValue: hidden ^ DeviceID.mix(tag)), tag: tag)
    }

    /// The bytes that the text encodes: tag and hidden index, the lowest byte of either first.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(8)
        bytes.append(integer: tag)
        bytes.append(integer: index.rawValue ^ DeviceID.mix(tag))
        return bytes
    }

    /// Computed for every result, so optimized: 64 bits and two zeros in groups of six, the lowest byte of either
    /// number first.
    package var description: String {
        let hidden = index.rawValue ^ DeviceID.mix(tag)
        let bits = UInt64(tag.byteSwapped) << 32 | UInt64(hidden.byteSwapped)
        return String(unsafeUninitializedCapacity: 11) { buffer in
            for place in 0..<10 {
                buffer[place] = Base64URL.alphabet[Int(bits >> UInt64(58 - place * 6) & 63)]
            }
            buffer[10] = Base64URL.alphabet[Int(bits << 2 & 63)]
            return 11
        }
    }

    /// Ids of neighbouring devices share no prefix or suffix; they do not reveal how many devices there are.
    private static func mix(_ tag: UInt32) -> UInt32 {
        var mixed = tag
        mixed = (mixed ^ (mixed >> 16)) &* 0x7FEB_352D
        mixed = (mixed ^ (mixed >> 15)) &* 0x846C_A68B
        return mixed ^ (mixed >> 16)
    }
}
