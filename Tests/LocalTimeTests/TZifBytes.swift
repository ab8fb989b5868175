/// A file of tzdata's format, made for a test.
struct TZifBytes {
    var version: UInt8 = UInt8(ascii: "2")
    /// Offsets in seconds.
    var types: [Int32] = [0]
    var transitions: [(instant: Int64, type: UInt8)] = []
    var footer = ""
    var leapSeconds = 0
    var hasIndicators = false

    var bytes: [UInt8] {
        let first = header + block(timeBytes: 4)
        return version == 0 ? first : first + header + block(timeBytes: 8) + Array("\n\(footer)\n".utf8)
    }

    var header: [UInt8] {
        let indicators = UInt32(hasIndicators ? types.count : 0)
        let counts = [
            indicators, indicators, UInt32(leapSeconds), UInt32(transitions.count), UInt32(types.count), 4,
        ]
        return Array("TZif".utf8) + [version] + [UInt8](repeating: 0, count: 15) + counts.flatMap(TZifBytes.bigEndian)
    }

    private func block(timeBytes: Int) -> [UInt8] {
        var bytes = transitions.flatMap { TZifBytes.bigEndian($0.instant).suffix(timeBytes) }
        bytes += transitions.map(\.type)
        for type in types { bytes += TZifBytes.bigEndian(type) + [0, 0] }
        bytes += Array("LMT\0".utf8)
        bytes += [UInt8](repeating: 7, count: leapSeconds * (timeBytes + 4))
        return bytes + [UInt8](repeating: 0, count: hasIndicators ? 2 * types.count : 0)
    }

    private static func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }
}
