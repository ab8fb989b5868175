/// Counts in how many elements of a request an id has occurred.
///
/// An id is known by 64 bits of a hash. Two ids with the same bits count as one, and the second is sent with a later
/// task than needed. The hash is the same in every process, since a repeated request must make the same tasks.
struct IDOccurrences {
    private struct Count {
        let element: Int32
        let number: UInt8
    }

    private var counts: [UInt64: Count] = [:]

    var areEmpty: Bool { counts.isEmpty }

    init(idCount: Int) {
        counts.reserveCapacity(idCount)
    }

    /// The number of elements before this one that have the id. Elements come in rising order.
    mutating func note(_ id: ArraySlice<UInt8>, of type: BatchIDType, inElement element: Int) -> Int {
        let key = IDOccurrences.hash(id, of: type)
        guard let last = counts[key] else {
            counts[key] = Count(element: Int32(element), number: 0)
            return 0
        }
        guard Int(last.element) < element else { return Int(last.number) }
        let number = last.number == .max ? last.number : last.number + 1
        counts[key] = Count(element: Int32(element), number: number)
        return Int(number)
    }

    /// FNV-1a.
    private static func hash(_ id: ArraySlice<UInt8>, of type: BatchIDType) -> UInt64 {
        var hash = (0xCBF2_9CE4_8422_2325 ^ UInt64(type.rawValue)) &* 0x100_0000_01B3
        for byte in id { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return hash
    }
}
