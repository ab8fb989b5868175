/// Elements due later, the earliest first; equal times keep their order.
struct TimerHeap<Element> {
    private struct Entry {
        let due: Duration
        let number: Int
        let element: Element

        func comes(before other: Entry) -> Bool {
            due != other.due ? due < other.due : number < other.number
        }
    }

    private var entries: [Entry] = []
    private var numbers = 0

    var earliest: Duration? { entries.first?.due }
    var count: Int { entries.count }

    mutating func insert(_ element: Element, due: Duration) {
        numbers += 1
        entries.append(Entry(due: due, number: numbers, element: element))
        var child = entries.count - 1
        while child > 0, case let parent = (child - 1) / 2, entries[child].comes(before: entries[parent]) {
            entries.swapAt(child, parent)
            child = parent
        }
    }

    mutating func popDue(now: Duration) -> Element? {
        guard let first = entries.first, first.due <= now else { return nil }
        entries.swapAt(0, entries.count - 1)
        entries.removeLast()
        sink()
        return first.element
    }

    private mutating func sink() {
        var parent = 0
        while case let left = 2 * parent + 1, left < entries.count {
            let right = left + 1
            let child = right < entries.count && entries[right].comes(before: entries[left]) ? right : left
            guard entries[child].comes(before: entries[parent]) else { return }
            entries.swapAt(parent, child)
            parent = child
        }
    }
}
