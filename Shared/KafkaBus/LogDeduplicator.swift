/// What a log was told last: the same comes again and again while it lasts, and is news again when it had ended.
struct LogDeduplicator {
    private var last = ""

    mutating func isNews(_ text: String) -> Bool {
        defer { last = text }
        return text != last
    }

    mutating func forget() {
        last = ""
    }
}
