/// Requests that wait for a connection: returned ones first, then the others in order of acceptance.
struct RequestQueue {
    private var returned: [PendingRequest] = []
    private var fresh: [PendingRequest] = []
    /// Requests before this index have been taken.
    private var start = 0
    /// No request is due before it; it may be earlier than the first deadline.
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
