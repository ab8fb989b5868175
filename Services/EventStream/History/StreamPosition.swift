import PushModel
import ServiceKit

/// How far a reader of all partitions has come: the offset that follows in each of them. As text it is the id of a
/// server-sent event, with which any instance continues.
struct StreamPosition: Equatable, Sendable {
    static let partitionsMaximum = 64
    /// Of the text; offsets of 63 bits take nine bytes each.
    static let textBytesMaximum = 1_024

    private var next: [Int64]

    init(_ next: [Int64] = []) {
        self.next = next
    }

    /// Nil for a text that is no position.
    init?(_ text: String) {
        guard text.utf8.count <= StreamPosition.textBytesMaximum, let bytes = Base64URL.decode(text) else { return nil }
        next = []
        var rest = bytes[...]
        while !rest.isEmpty {
            guard next.count < StreamPosition.partitionsMaximum, let offset = StreamPosition.offset(&rest) else {
                return nil
            }
            next.append(offset)
        }
    }

    /// Seven bits in each byte, lowest first.
    var text: String {
        var bytes: [UInt8] = []
        for offset in next {
            var rest = UInt64(bitPattern: offset)
            while rest >= 0x80 {
                bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
                rest >>= 7
            }
            bytes.append(UInt8(truncatingIfNeeded: rest))
        }
        return Base64URL.encode(bytes)
    }

    /// A partition that is not mentioned was never read.
    subscript(partition: Int32) -> Int64 {
        get { next.indices.contains(Int(partition)) ? next[Int(partition)] : 0 }
        set {
            while next.count <= Int(partition) { next.append(0) }
            next[Int(partition)] = newValue
        }
    }

    /// True if this has read everything that the other has.
    func includes(_ other: StreamPosition) -> Bool {
        other.next.indices.allSatisfy { self[Int32($0)] >= other.next[$0] }
    }

    /// Having read what either has.
    func union(_ other: StreamPosition) -> StreamPosition {
        StreamPosition((0..<max(next.count, other.next.count)).map { max(self[Int32($0)], other[Int32($0)]) })
    }

    private static func offset(_ bytes: inout ArraySlice<UInt8>) -> Int64? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 63, by: 7) {
            guard let byte = bytes.popFirst() else { return nil }
            value |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return Int64(value) }
        }
        return nil
    }
}
