/// The pages of an import that are under way. They end in any order; progress follows the order of their ids.
struct ImportPages {
    /// The last id of the page that was started last.
    private(set) var last: [UInt8]?
    private(set) var isAtEnd = false
    /// Pages are counted from 1.
    private(set) var started = 0
    private(set) var settled = 0
    private var ends: [Int: [UInt8]] = [:]
    private var summaries: [Int: ImportSummary] = [:]

    init(after last: [UInt8]?) {
        self.last = last
    }

    /// Pages that are started and not settled.
    var open: Int { started - settled }

    /// False for an empty page, which is the end.
    mutating func start(_ ids: [[UInt8]]) -> Bool {
        guard let end = ids.last else {
            isAtEnd = true
            return false
        }
        started += 1
        ends[started] = end
        last = end
        return true
    }

    mutating func done(_ number: Int, with summary: ImportSummary) {
        summaries[number] = summary
    }

    /// Settles pages whose predecessors are settled; true if there were any.
    mutating func advance(_ state: inout ImportState) -> Bool {
        let before = settled
        while let summary = summaries.removeValue(forKey: settled + 1) {
            settled += 1
            state.summary += summary
            state.last = ends.removeValue(forKey: settled)
        }
        return settled > before
    }
}
