/// The content states that phones show, each stored once however many phones show it.
struct ContentStates: Sendable {
    private struct Entry {
        var text: String
        var users: Int
    }

    private var entries: [Entry] = []
    private var numbers: [String: Int] = [:]
    private var free: [Int] = []

    var count: Int { numbers.count }

    func text(_ number: Int) -> String { entries[number].text }

    /// Returns the number of an equal text, which the caller releases later.
    mutating func retain(_ text: String) -> Int {
        if let number = numbers[text] {
            entries[number].users += 1
            return number
        }
        let entry = Entry(text: text, users: 1)
        let number = free.popLast() ?? entries.count
        if number == entries.count { entries.append(entry) } else { entries[number] = entry }
        numbers[text] = number
        return number
    }

    mutating func release(_ number: Int) {
        entries[number].users -= 1
        guard entries[number].users == 0 else { return }
        numbers[entries[number].text] = nil
        entries[number].text = ""
        free.append(number)
    }
}
