import PushModel

extension ByteReader {
    /// Exactly so many elements, else nil; the caller bounds their number.
    mutating func elements<Element>(_ count: Int, read: (inout ByteReader) -> Element?) -> [Element]? {
        var elements: [Element] = []
        elements.reserveCapacity(count)
        for _ in 0..<count {
            guard let element = read(&self) else { return nil }
            elements.append(element)
        }
        return elements
    }
}
