/// A first-in, first-out queue that does not move its elements: an array with a head index, trimmed now and then.
package struct Queue<Element> {
    private var elements: [Element?] = []
    private var head = 0

    package init() {}

    package var count: Int { elements.count - head }
    package var isEmpty: Bool { count == 0 }
    package var first: Element? { isEmpty ? nil : elements[head] }

    package mutating func append(_ element: Element) {
        elements.append(element)
    }

    @discardableResult
    package mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = elements[head]
        elements[head] = nil
        head += 1
        if head >= 64 && head * 2 >= elements.count {
            elements.removeSubrange(..<head)
            head = 0
        }
        return element
    }
}
