import ServiceKit
import Testing

@testable import HTTP2

@Suite struct HeartbeatTests {
    private var configuration: HTTP2Configuration {
        var configuration = HTTP2Configuration()
        configuration.idleBeforePing = .seconds(100)
        configuration.silenceBeforePing = .seconds(5)
        configuration.pingLimit = .seconds(10)
        return configuration
    }

    @Test func anIdleConnectionIsAskedAndGivenUpWithoutAnAnswer() {
        var heartbeat = Heartbeat(configuration, now: .zero)
        let early = heartbeat.beat(now: .seconds(99))
        let question = heartbeat.beat(now: .seconds(100))
        #expect(early == .none && question == .ping && heartbeat.due == .seconds(110))
        let waiting = heartbeat.beat(now: .seconds(109))
        let end = heartbeat.beat(now: .seconds(110))
        #expect(waiting == .none && end == .giveUp)
    }

    @Test func anyByteIsASignOfLife() {
        var heartbeat = Heartbeat(configuration, now: .zero)
        _ = heartbeat.beat(now: .seconds(100))
        heartbeat.heard(now: .seconds(101))
        let later = heartbeat.beat(now: .seconds(110))
        #expect(later == .none && heartbeat.due == .seconds(201))
    }

    /// Silence before the request does not count against the peer.
    @Test func whoOwesAnswersIsAskedSooner() {
        var heartbeat = Heartbeat(configuration, now: .zero)
        heartbeat.noteOwed(true, now: .seconds(50))
        heartbeat.noteOwed(true, now: .seconds(53))
        #expect(heartbeat.due == .seconds(55))
        heartbeat.heard(now: .seconds(54))
        #expect(heartbeat.due == .seconds(59))
        heartbeat.noteOwed(false, now: .seconds(55))
        #expect(heartbeat.due == .seconds(154))
    }
}

@Suite struct StreamAllowanceTests {
    @Test func nothingIsAllowedBeforeThePeerHasSpoken() {
        #expect(StreamAllowance(ownMaximum: 100, needsProof: false).limit == 0)
    }

    @Test func theSmallerBoundHolds() {
        var allowance = StreamAllowance(ownMaximum: 100, needsProof: false)
        allowance.peerAllows(1_000)
        #expect(allowance.limit == 100)
        allowance.peerAllows(7)
        #expect(allowance.limit == 7)
        allowance.peerAllows(0)
        #expect(allowance.limit == 0)
    }

    @Test func oneStreamUntilCredentialsAreProven() {
        var allowance = StreamAllowance(ownMaximum: 100, needsProof: true)
        allowance.peerAllows(50)
        #expect(allowance.limit == 1)
        allowance.noteAnswer(isProof: false)
        #expect(allowance.limit == 1 && allowance.needsProof)
        allowance.noteAnswer(isProof: true)
        #expect(allowance.limit == 50 && !allowance.needsProof)
    }

    @Test func aRefusalLowersItAndEachAnswerRaisesItAgain() {
        var allowance = StreamAllowance(ownMaximum: 100, needsProof: false)
        allowance.peerAllows(12)
        allowance.noteRefusal(whileOpen: 10)
        #expect(allowance.limit == 10)
        allowance.noteRefusal(whileOpen: 0)
        #expect(allowance.limit == 1)
        for expected in 2...12 {
            allowance.noteAnswer(isProof: false)
            #expect(allowance.limit == expected)
        }
        allowance.noteAnswer(isProof: false)
        allowance.peerAllows(20)
        #expect(allowance.limit == 20)
    }
}

@Suite struct RequestWindowTests {
    @Test func takesAllOrNone() {
        var window = RequestWindow(requestsMaximum: 10, waitersMaximum: 5)
        let first = window.admit(8, areAwaited: false)
        let second = window.admit(3, areAwaited: false)
        #expect(first == .accepted && second == .full && window.room == 2)
        window.settle(1)
        let third = window.admit(3, areAwaited: false)
        #expect(third == .accepted && window.room == 0)
    }

    @Test func tasksMayWaitBeyondItUpToTheirOwnBound() {
        var window = RequestWindow(requestsMaximum: 10, waitersMaximum: 5)
        let all = window.admit(15, areAwaited: true)
        let more = window.admit(1, areAwaited: true)
        #expect(all == .accepted && more == .full)
        let batch = window.admit(1, areAwaited: false)
        #expect(batch == .full)
    }

    @Test func refusesOnceClosed() {
        var window = RequestWindow(requestsMaximum: 10, waitersMaximum: 5)
        window.close()
        let admission = window.admit(1, areAwaited: true)
        #expect(admission == .closed)
    }
}

@Suite struct RequestQueueTests {
    private func request(_ path: String, deadline: Duration = .seconds(10)) -> PendingRequest {
        PendingRequest(
            HTTP2Request(.get, path), index: 0, accepted: .zero, limit: deadline, completion: { _, _ in })
    }

    private func paths(_ requests: [PendingRequest]) -> [String] { requests.map(\.request.path) }

    @Test func keepsTheOrderAndPutsReturnedOnesFirst() {
        var queue = RequestQueue()
        queue.append((0..<100).map { request("\($0)") })
        var taken: [String] = []
        for _ in 0..<60 { taken += [queue.next()].compactMap { $0?.request.path } }
        #expect(taken == (0..<60).map { "\($0)" } && queue.count == 40)
        queue.putBack(request("returned"))
        let next = queue.next()?.request.path
        let after = queue.next()?.request.path
        #expect(next == "returned" && after == "60")
        let rest = paths(queue.takeAll())
        #expect(rest == (61..<100).map { "\($0)" } && queue.isEmpty)
    }

    @Test func givesUpWhatIsOverdue() {
        var queue = RequestQueue()
        queue.append([request("late", deadline: .seconds(1)), request("early")])
        #expect(queue.earliestDeadline == .seconds(1))
        let none = queue.takeOverdue(now: .milliseconds(999))
        let late = paths(queue.takeOverdue(now: .seconds(1)))
        #expect(none.isEmpty && late == ["late"] && queue.count == 1 && queue.earliestDeadline == .seconds(10))
    }
}

@Suite struct TimerHeapTests {
    @Test func givesTheEarliestFirstAndKeepsTheOrderOfEqualTimes() {
        var heap = TimerHeap<Int>()
        let random = SeededRandomSource(seed: 3)
        let dues = (0..<500).map { _ in Int(random.next() % 50) }
        for (index, due) in dues.enumerated() { heap.insert(index, due: .seconds(due)) }
        var taken: [Int] = []
        for now in 0..<50 {
            #expect(heap.earliest.map { $0 >= .seconds(now) } ?? true)
            while let index = heap.popDue(now: .seconds(now)) { taken.append(index) }
        }
        let expected = dues.indices.sorted { (dues[$0], $0) < (dues[$1], $1) }
        #expect(taken == expected && heap.count == 0)
    }
}

@Suite struct HTTP2HeadersTests {
    @Test func keepsFieldsInOrder() {
        var headers: HTTP2Headers = ["a": "1", "long": String(repeating: "x", count: 60_000)]
        headers.append("a", "", indexing: .nameOnly)
        #expect(headers.fields.map(\.name) == ["a", "long", "a"])
        #expect(headers["a"] == "1" && headers["long"]?.utf8.count == 60_000 && headers["b"] == nil)
        #expect(headers.fields.last?.value == "")
    }

    @Test func aFieldTooLongToPackIsNotKept() {
        var headers = HTTP2Headers()
        let long = [UInt8](repeating: 65, count: 65_536)
        let kept = long.withUnsafeBufferPointer { headers.append($0, $0, indexing: .table) }
        #expect(!kept && headers.isEmpty)
    }
}
