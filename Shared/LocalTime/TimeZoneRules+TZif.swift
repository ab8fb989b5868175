import ServiceKit

/// The format of tzdata's compiled files (RFC 9636), versions 1 to 4.
extension TimeZoneRules {
    /// Files of tzdata have up to 4 KB.
    package static let bytesMaximum = 64 * 1_024

    /// Nil if the bytes are no such file. Leap seconds are ignored, as are abbreviations and the difference between
    /// standard and daylight time. The cost is linear in the size.
    package init?(tzif bytes: [UInt8]) {
        guard bytes.count <= TimeZoneRules.bytesMaximum else { return nil }
        var reader = TZifReader(bytes)
        guard let header = reader.header() else { return nil }
        guard header.version != 0 else {
            guard let block = reader.block(header, timeBytes: 4) else { return nil }
            self.init(initialOffset: block.initialOffset, transitions: block.transitions, footer: nil)
            return
        }
        // The first block is for readers of version 1; all times are in the second.
        guard reader.skipBlock(header, timeBytes: 4), let second = reader.header(), second.version == header.version,
            let block = reader.block(second, timeBytes: 8), let footer = reader.footer()
        else { return nil }
        guard !footer.isEmpty else {
            self.init(initialOffset: block.initialOffset, transitions: block.transitions, footer: nil)
            return
        }
        guard let zone = PosixTimeZone(footer) else { return nil }
        self.init(initialOffset: block.initialOffset, transitions: block.transitions, footer: zone)
    }
}

/// Reads the parts of a file in their order; nil at a premature end or for invalid content.
private struct TZifReader {
    struct Header {
        let version: UInt8
        let universalIndicators: Int
        let standardIndicators: Int
        let leapSeconds: Int
        let transitions: Int
        let types: Int
        let designationBytes: Int

        func blockBytes(timeBytes: Int) -> Int {
            transitions * (timeBytes + 1) + types * 6 + designationBytes + leapSeconds * (timeBytes + 4)
                + standardIndicators + universalIndicators
        }
    }

    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    mutating func header() -> Header? {
        guard bytes(4)?.elementsEqual("TZif".utf8) == true, let version = bytes(1)?.first, bytes(15) != nil,
            let universalIndicators = count(), let standardIndicators = count(), let leapSeconds = count(),
            let transitions = count(), let types = count(), let designationBytes = count()
        else { return nil }
        // A later version may only add what a reader of these can ignore.
        guard version == 0 || version >= UInt8(ascii: "2"), 1...256 ~= types, designationBytes > 0,
            universalIndicators == 0 || universalIndicators == types,
            standardIndicators == 0 || standardIndicators == types
        else { return nil }
        return Header(
            version: version, universalIndicators: universalIndicators, standardIndicators: standardIndicators,
            leapSeconds: leapSeconds, transitions: transitions, types: types, designationBytes: designationBytes)
    }

    mutating func skipBlock(_ header: Header, timeBytes: Int) -> Bool {
        bytes(header.blockBytes(timeBytes: timeBytes)) != nil
    }

    mutating func block(
        _ header: Header, timeBytes: Int
    ) -> (initialOffset: Int64, transitions: [TimeZoneRules.Transition])? {
        guard var block = bytes(header.blockBytes(timeBytes: timeBytes)).map({ TZifReader(Array($0)) }),
            let times = block.bytes(header.transitions * timeBytes), let types = block.bytes(header.transitions),
            let offsets = block.offsets(count: header.types)
        else { return nil }
        var transitions: [TimeZoneRules.Transition] = []
        transitions.reserveCapacity(header.transitions)
        for (time, type) in zip(times.chunks(of: timeBytes), types) {
            let instant = timeBytes == 4 ? Int64(Int32(truncatingIfNeeded: time.bigEndian)) : time.bigEndian
            if let last = transitions.last, last.instant >= instant { return nil }
            guard Int(type) < offsets.count else { return nil }
            transitions.append(TimeZoneRules.Transition(instant: instant, offset: offsets[Int(type)]))
        }
        return (offsets[0], transitions)
    }

    /// The text between two line feeds.
    mutating func footer() -> ArraySlice<UInt8>? {
        guard rest.popByte("\n"), let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        return rest[..<end]
    }

    private mutating func offsets(count: Int) -> [Int64]? {
        guard let types = bytes(count * 6) else { return nil }
        var offsets: [Int64] = []
        for type in types.chunks(of: 6) {
            let offset = Int64(Int32(truncatingIfNeeded: type.prefix(4).bigEndian))
            guard offset > TimeZoneRules.offsetMinimum, offset < TimeZoneRules.offsetMaximum else { return nil }
            offsets.append(offset)
        }
        return offsets
    }

    private mutating func count() -> Int? {
        bytes(4).map { Int($0.bigEndian) }
    }

    private mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
        guard rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }
}

extension ArraySlice<UInt8> {
    /// Up to eight bytes as one number, the highest byte first.
    fileprivate var bigEndian: Int64 {
        reduce(0) { $0 << 8 | Int64($1) }
    }
}
