import PushModel
import Store

/// The devices of a job, as kept from the job's first delivery until it is resolved, and how many entries of its part of
/// a list named none then.
struct DecidedDevices: Hashable, Sendable {
    struct Part: Hashable, Sendable {
        let segment: SegmentNumber
        let members: SegmentSet
        let silent: SegmentSet
        /// Of the members that do not get the content of the task.
        let contents: [UInt16: ContentNumber]
    }

    /// Above this count the bitmap is shorter.
    private static let listedMaximum = 255
    /// Marks a bitmap in place of the length of a list.
    private static let bitmap = 256
    /// Added to the number of a segment whose sets are followed by the contents of its members.
    private static let varied = Int(SegmentNumber.maximum) + 1
    /// Precedes the number of entries without a device, in place of a segment; absent if there are none.
    private static let unmatchedMark = 2 * varied

    let parts: [Part]
    let unmatched: Int

    init(_ found: FoundDevices) {
        self.init(found.selected, unmatched: found.unmatched)
    }

    init(_ targets: [SelectedDevices], unmatched: Int = 0) {
        self.unmatched = unmatched
        parts = targets.map {
            Part(segment: $0.segment, members: $0.members, silent: $0.silent, contents: $0.contents)
        }
    }

    var encoded: [UInt8] {
        var bytes: [UInt8] = []
        for part in parts {
            let varied = part.contents.isEmpty ? 0 : DecidedDevices.varied
            bytes.append(variableInteger: Int(part.segment.rawValue) + varied)
            DecidedDevices.append(part.members, to: &bytes)
            DecidedDevices.append(part.silent, to: &bytes)
            guard !part.contents.isEmpty else { continue }
            for offset in part.members.offsets {
                bytes.append(variableInteger: Int((part.contents[offset] ?? .ofTask).rawValue))
            }
        }
        if unmatched > 0 {
            bytes.append(variableInteger: DecidedDevices.unmatchedMark)
            bytes.append(variableInteger: unmatched)
        }
        return bytes
    }

    init(decoding bytes: [UInt8]) throws(StoreError) {
        var reader = ByteReader(bytes)
        var parts: [Part] = []
        var unmatched = 0
        while !reader.isAtEnd {
            guard let raw = reader.variableInteger() else { throw DecidedDevices.undecodable }
            if raw == DecidedDevices.unmatchedMark, let count = reader.variableInteger(), reader.isAtEnd {
                unmatched = count
                break
            }
            guard let part = DecidedDevices.part(raw, from: &reader) else { throw DecidedDevices.undecodable }
            parts.append(part)
        }
        self.parts = parts
        self.unmatched = unmatched
    }

    private static var undecodable: StoreError {
        StoreError(.corrupt, message: "the kept devices of a job cannot be decoded")
    }

    /// `raw` is the number of the segment, with a mark if contents follow.
    private static func part(_ raw: Int, from reader: inout ByteReader) -> Part? {
        guard raw < 2 * varied, let members = set(from: &reader), let silent = set(from: &reader) else { return nil }
        var contents: [UInt16: ContentNumber] = [:]
        for offset in raw < varied ? [] : members.offsets {
            guard let number = reader.variableInteger().flatMap({ UInt32(exactly: $0) }),
                let content = ContentNumber(rawValue: number)
            else { return nil }
            if content != .ofTask { contents[offset] = content }
        }
        return Part(
            segment: SegmentNumber(rawValue: UInt32(raw % varied)), members: members, silent: silent,
            contents: contents)
    }

    private static func append(_ set: SegmentSet, to bytes: inout [UInt8]) {
        let count = set.count
        guard count <= listedMaximum else {
            bytes.append(variableInteger: bitmap)
            bytes.append(contentsOf: set.bytes)
            return
        }
        bytes.append(variableInteger: count)
        for offset in set.offsets { bytes.append(integer: offset) }
    }

    private static func set(from reader: inout ByteReader) -> SegmentSet? {
        guard let count = reader.variableInteger(), count <= bitmap else { return nil }
        if count == bitmap { return reader.bytes(SegmentSet.bytesCount).flatMap { SegmentSet(bytes: Array($0)) } }
        var set = SegmentSet()
        for _ in 0..<count {
            guard let offset = reader.integer(UInt16.self), Int(offset) < DeviceIndex.segmentCapacity else {
                return nil
            }
            set.insert(offset)
        }
        return set
    }
}
