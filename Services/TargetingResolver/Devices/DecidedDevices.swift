import PushModel
import Store

/// The devices of a job, as kept from the job's first delivery until it is resolved, and how many entries of its part of
/// a list named none then.
struct DecidedDevices: Hashable, Sendable {
    struct Part: Hashable, Sendable {
        let segment: SegmentNumber
        let members: SegmentSet
        let silent: SegmentSet
    }

    /// Above this count the bitmap is shorter.
    private static let listedMaximum = 255
    /// Marks a bitmap in place of the length of a list.
    private static let bitmap = 256
    /// Precedes the number of entries without a device, in place of a segment; absent if there are none.
    private static let unmatchedMark = Int(SegmentNumber.maximum) + 1

    let parts: [Part]
    let unmatched: Int

    init(_ found: FoundDevices) {
        self.init(found.selected, unmatched: found.unmatched)
    }

    init(_ targets: [SelectedDevices], unmatched: Int = 0) {
        self.unmatched = unmatched
        parts = targets.map { Part(segment: $0.segment, members: $0.members, silent: $0.silent) }
    }

    var encoded: [UInt8] {
        var bytes: [UInt8] = []
        for part in parts {
            bytes.append(variableInteger: Int(part.segment.rawValue))
            DecidedDevices.append(part.members, to: &bytes)
            DecidedDevices.append(part.silent, to: &bytes)
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
            let raw = reader.variableInteger()
            if raw == DecidedDevices.unmatchedMark, let count = reader.variableInteger(), reader.isAtEnd {
                unmatched = count
                break
            }
            guard let raw, raw <= Int(SegmentNumber.maximum),
                let members = DecidedDevices.set(from: &reader), let silent = DecidedDevices.set(from: &reader)
            else { throw StoreError(.corrupt, message: "the kept devices of a job cannot be decoded") }
            parts.append(Part(segment: SegmentNumber(rawValue: UInt32(raw)), members: members, silent: silent))
        }
        self.parts = parts
        self.unmatched = unmatched
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
