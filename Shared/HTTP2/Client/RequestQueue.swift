/// Requests that wait for a connection: those that came back go first, then the others in the order they were accepted.
struct RequestQueue {
    private var returned: [PendingRequest] = []
    private var fresh: [PendingRequest] = []
    /// Those before it have been taken.
    private var start = 0
    /// None is due before it; it may be earlier than the first that is.
    private(set) var earliestDeadline: Duration?

    var count: Int { returned.count + fresh.count - start }
    var isEmpty: Bool { count == 0 }

    mutating func append(_ requests: [PendingRequest]) {
        if isEmpty { earliestDeadline = nil }
        fresh += requests
        for request in requests { note(request) }
    }

    mutating func putBack(_ request: PendingRequest) {
        if isEmpty { earliestDeadline = nil }
        returned.append(request)
        note(request)
    }

    mutating func next() -> PendingRequest? {
        if let request = returned.popLast() { return request }
        guard start < fresh.count else { return nil }
        defer {
            start += 1
            // Moves each request at most once on average.
            if start * 2 > fresh.count { compact() }
        }
        return fresh[start]
    }

    mutating func takeAll() -> [PendingRequest] {
        defer { self = RequestQueue() }
        return returned + fresh[start...]
    }

    mutating func takeOverdue(now: Duration) -> [PendingRequest] {
        guard let earliestDeadline, earliestDeadline <= now else { return [] }
        let all = takeAll()
        append(all.filter { $0.deadline > now })
        return all.filter { $0.deadline <= now }
    }

    private mutating func note(_ request: PendingRequest) {
        earliestDeadline = min(earliestDeadline ?? request.deadline, request.deadline)
    }

    private mutating func compact() {
        fresh.removeFirst(start)
        start = 0
    }
}
