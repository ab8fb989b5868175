/// Suppresses a log line that repeats the last one: the same problem is logged again only after it had ended.
struct LogDeduplicator {
    private var last = ""

    mutating func noteIfNew(_ text: String) -> Bool {
        defer { last = text }
        return text != last
    }

    mutating func forget() {
        last = ""
    }
}
