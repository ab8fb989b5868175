/// A first-in, first-out queue that does not move its elements on removal: an array with a head index, trimmed now and
/// then. Inlinable, since every message and every command of Redis passes through one.
@usableFromInline package struct Queue<Element> {
    @usableFromInline var elements: [Element?] = []
    @usableFromInline var head = 0

    package init() {}

    @inlinable package var count: Int { elements.count - head }
    @inlinable package var isEmpty: Bool { count == 0 }
    @inlinable package var first: Element? { isEmpty ? nil : elements[head] }

    /// The element that is at this place, counted from the first one.
    package subscript(place: Int) -> Element? {
        place >= 0 && place < count ? elements[head + place] : nil
    }

    @inlinable package mutating func append(_ element: Element) {
        elements.append(element)
    }

    @discardableResult
    @inlinable package mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = elements[head]
        elements[head] = nil
        head += 1
        // Half of the array being empty pays for moving the other half.
        if head >= 64 && head * 2 >= elements.count {
            elements.removeFirst(head)
            head = 0
        }
        return element
    }

    @inlinable package mutating func takeAll() -> [Element] {
        defer {
            elements.removeAll(keepingCapacity: true)
            head = 0
        }
        return elements[head...].compactMap { $0 }
    }
}

extension Queue: Sequence {
    @usableFromInline package func makeIterator() -> some IteratorProtocol<Element> {
        elements[head...].lazy.compactMap { $0 }.makeIterator()
    }
}

extension Queue: Sendable where Element: Sendable {}
