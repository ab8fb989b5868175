/// Counts in how many elements an id has occurred.
///
/// An id is known by 64 bits of its hash. Two ids with the same bits count as one, and the second is sent with a later
/// task than needed.
struct IDOccurrences {
    private struct Count {
        let element: Int32
        let number: UInt8
    }

    private var counts: [Int: Count] = [:]

    init(idCount: Int) {
        counts.reserveCapacity(idCount)
    }

    /// The number of elements before this one that have the id. Elements come in rising order.
    mutating func note(_ id: ArraySlice<UInt8>, of type: BatchIDType, inElement element: Int) -> Int {
        var hasher = Hasher()
        hasher.combine(type)
        id.withUnsafeBytes { hasher.combine(bytes: $0) }
        let key = hasher.finalize()
        guard let last = counts[key] else {
            counts[key] = Count(element: Int32(element), number: 0)
            return 0
        }
        guard Int(last.element) < element else { return Int(last.number) }
        let number = last.number == .max ? last.number : last.number + 1
        counts[key] = Count(element: Int32(element), number: number)
        return Int(number)
    }
}
