/// What an app calls its registration by: opaque to it, eleven characters. It carries the device's index, so that no
/// table is needed to find it, and a random tag, so that nobody can guess another's.
package struct DeviceID: Hashable, Sendable, CustomStringConvertible {
    package let index: DeviceIndex
    package let tag: UInt32

    package init(index: DeviceIndex, tag: UInt32) {
        self.index = index
        self.tag = tag
    }

    /// Nil for a text that is no id of ours.
    package init?(_ text: String) {
        guard text.utf8.count == 11, let bytes = Base64URL.decode(text) else { return nil }
        var reader = ByteReader(bytes)
        guard let tag = reader.integer(UInt32.self), let hidden = reader.integer(UInt32.self) else { return nil }
        self.init(index: DeviceIndex(rawValue: hidden ^ DeviceID.mix(tag)), tag: tag)
    }

    package var description: String {
        var bytes: [UInt8] = []
        bytes.append(integer: tag)
        bytes.append(integer: index.rawValue ^ DeviceID.mix(tag))
        return Base64URL.encode(bytes)
    }

    /// Ids of neighbours share no beginning or end; they do not tell how many devices there are.
    private static func mix(_ tag: UInt32) -> UInt32 {
        var mixed = tag
        mixed = (mixed ^ (mixed >> 16)) &* 0x7FEB_352D
        mixed = (mixed ^ (mixed >> 15)) &* 0x846C_A68B
        return mixed ^ (mixed >> 16)
    }
}
