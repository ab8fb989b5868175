/// A first-in, first-out queue that does not move its elements on removal.
struct RedisQueue<Element> {
    private var elements: [Element?] = []
    private var head = 0

    var count: Int { elements.count - head }
    var isEmpty: Bool { count == 0 }

    mutating func append(_ element: Element) {
        elements.append(element)
    }

    mutating func popFirst() -> Element? {
        guard head < elements.count else { return nil }
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

    mutating func takeAll() -> [Element] {
        defer {
            elements.removeAll(keepingCapacity: true)
            head = 0
        }
        return elements[head...].compactMap { $0 }
    }
}

extension RedisQueue: Sequence {
    func makeIterator() -> some IteratorProtocol<Element> {
        elements[head...].lazy.compactMap { $0 }.makeIterator()
    }
}
