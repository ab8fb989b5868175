import Bus
import MemoryStore
import ServiceKit
import Store
import TestSupport
import Testing
import Topics

/// Tests what a worker does about a message that crashes its process. A worker whose handler does not return until the
/// end of the test, and that is never stopped, stands for a crashed process.
@Suite(.timeLimit(.minutes(3))) struct WorkerCrashTests {
    private let topic = TestTopics.make()
    private let starts = MemoryMessageStarts(time: ManualTimeSource())
    /// Releases the tasks of crashed processes.
    private let over = OneTimeEvent()

    private var place: ConsumedPartition { ConsumedPartition(group: "g", channel: topic.channel.name, number: 0) }

    /// The process with this number, with messages to handle.
    private func process(
        _ number: Int, texts: String..., gate: HandlingGate = HandlingGate(), starts: (any MessageStarts)? = nil,
        order: ConsumerOptions.Order = .partition, batch: Int = 10, concurrency: Int = 1, attempts: Int = 3
    ) -> WorkerFixture {
        let fixture = WorkerFixture(
            order: order, batch: batch, concurrency: concurrency, attempts: attempts, topic: topic,
            protection: CrashProtection(starts: starts ?? self.starts, gate: gate), seed: UInt64(number))
        fixture.consumer.offer(texts.map { Array($0.utf8) })
        return fixture
    }

    private func finish(_ runs: [Task<Void, any Error>]) async throws {
        over.happen()
        for run in runs {
            run.cancel()
            try await run.value
        }
    }

    private func counts(_ offsets: Int64...) -> [Int] {
        offsets.map { offset in
            let count = starts.begin([offset], of: place, owner: "the test", regardless: true)[0]
            starts.giveBack([offset], of: place, owner: "the test")
            return count
        }
    }

    /// Goal: a message that crashes every process goes to `dead`, and its neighbours do not. Method: the second of
    /// three messages in one batch crashes the process; the messages each process handles show which it suspects.
    @Test func aMessageThatEndsEveryProcessIsGivenUp() async throws {
        var runs: [Task<Void, any Error>] = []
        let expected = [
            ["a trap b"], ["a trap b"], ["a", "trap"], ["a", "trap"], ["a", "notified of trap", "b"],
        ]
        for (number, events) in expected.enumerated() {
            let process = process(number, texts: "a", "trap", "b")
            let (worker, run) = process.start(giveUp: { process.note("notified of \($0.text)") }) { [over] texts, _ in
                process.note(texts.joined(separator: " "))
                if texts.contains("trap") { await over.wait() }
                return []
            }
            runs.append(run)
            #expect(await process.hasNoted(events.count))
            #expect(process.noted == events)
            guard number == expected.count - 1 else { continue }
            #expect(await process.consumer.hasCompleted(3))
            let letter = try #require(process.deadLetters.first)
            #expect(process.deadLetters.count == 1)
            #expect(letter.reason == .crashed && letter.attempts == 3 && letter.text == "trap" && letter.offset == 1)
            worker.stop()
        }
        #expect(counts(0, 1, 2) == [0, 0, 0])
        try await finish(runs)
    }

    /// Goal: a handler that crashes when it is notified of the dead letter does not block the message.
    @Test func theHandlerIsNotifiedOnce() async throws {
        for number in 1...3 { _ = starts.begin([0], of: place, owner: "process \(number)", regardless: true) }
        let first = process(1, texts: "trap")
        let (_, ended) = first.start(
            giveUp: { [over] _ in
                first.note("notified")
                await over.wait()
            },
            { _, _ in [] })
        #expect(await first.hasNoted(1))
        let second = process(2, texts: "trap")
        let (worker, run) = second.start(giveUp: { _ in second.note("notified") }, { _, _ in [] })
        #expect(await second.consumer.hasCompleted(1))
        #expect(second.noted.isEmpty && second.deadLetters.map(\.reason) == [.crashed])
        worker.stop()
        try await run.value
        try await finish([ended])
    }

    /// Goal: processes stopped while they handle a message, as in a rolling deploy, do not count against it, even if
    /// they are killed before they have handled it. Method: after one that crashed, six are stopped and never finish.
    @Test func processesThatAreStoppedDoNotCount() async throws {
        _ = starts.open(place, owner: "a process that died")
        var runs: [Task<Void, any Error>] = []
        for number in 1...6 {
            let process = process(number, texts: "a", "b")
            let (worker, run) = process.start { [over] texts, _ in
                process.note(texts.joined(separator: " "))
                await over.wait()
                return []
            }
            runs.append(run)
            #expect(await process.hasNoted(1))
            #expect(process.noted == ["a b"])
            worker.stop()
            // There is no other sign that the counts were returned.
            #expect(try await waitUntil(within: .hangLimit) { counts(0, 1) == [0, 0] })
        }
        try await finish(runs)
    }

    /// Goal: a message waiting for a dependency is not in flight, and a kill during the wait does not count.
    @Test func aMessageThatWaitsIsNotCounted() async throws {
        _ = starts.open(place, owner: "a process that died")
        let process = process(1, texts: "a")
        let worker = process.worker { [self] _, _ in
            process.note("\(counts(0))")
            guard process.noted.count > 2 else { throw Outage() }
            return []
        }
        try await withRunning(worker) {
            for attempt in 1...2 {
                #expect(await process.time.hasSleepers(1))
                #expect(process.noted.count == attempt)
                #expect(counts(0) == [0])
                process.time.advance(by: .seconds(8))
            }
            #expect(await process.consumer.hasCompleted(1))
            #expect(process.noted == ["[1]", "[1]", "[1]"])
        }
    }

    /// Goal: a start whose answer is lost, and that is repeated, counts once, and is given back. Method: a process that
    /// lives gets no answer to any of its starts, and fails more often than a message may end its process.
    @Test func startsWithoutAnAnswerDoNotAddUp() async throws {
        _ = starts.open(place, owner: "a process that died")
        let failures = 5
        let process = process(1, texts: "a", starts: StartsWithoutAnswers(base: starts))
        let worker = process.worker { [self] _, _ in
            process.note("\(counts(0))")
            guard process.noted.count > failures else { throw Outage() }
            return []
        }
        try await withRunning(worker) {
            for attempt in 1...failures {
                #expect(await process.time.hasSleepers(1))
                #expect(process.noted.count == attempt)
                #expect(counts(0) == [0])
                process.time.advance(by: .seconds(300))
            }
            #expect(await process.consumer.hasCompleted(1))
            #expect(process.noted == Array(repeating: "[1]", count: failures + 1))
            #expect(process.deadLetters.isEmpty)
        }
    }

    /// Goal: while a suspect message is handled, no worker of the process handles another one. Method: a message of
    /// another worker is in flight; the suspect waits for it, and the next message waits for the suspect.
    @Test func aSuspectIsHandledAlone() async throws {
        let gate = HandlingGate()
        let (isNeighbourIn, mayNeighbourEnd) = (OneTimeEvent(), OneTimeEvent())
        let (isSuspectIn, maySuspectEnd) = (OneTimeEvent(), OneTimeEvent())
        let neighbour = WorkerFixture(
            batch: 1, protection: CrashProtection(starts: MemoryMessageStarts(time: ManualTimeSource()), gate: gate))
        neighbour.consumer.offer([Array("first".utf8), Array("second".utf8)])
        _ = starts.begin([0], of: place, owner: "a process that died", regardless: true)
        let suspect = process(1, texts: "suspect", gate: gate)
        let events = Monitor<[String]>([])
        let other = neighbour.start { texts, _ in
            events.change { $0.append(texts[0]) }
            isNeighbourIn.happen()
            await mayNeighbourEnd.wait()
            return []
        }
        await isNeighbourIn.wait()
        let own = suspect.start { texts, _ in
            events.change { $0.append("suspect") }
            isSuspectIn.happen()
            await maySuspectEnd.wait()
            events.change { $0.append("suspect ends") }
            return []
        }
        #expect(try await waitUntil(within: .hangLimit) { gate.waiting == 1 })
        #expect(events.withLock { $0 } == ["first"])
        mayNeighbourEnd.happen()
        await isSuspectIn.wait()
        #expect(try await waitUntil(within: .hangLimit) { gate.waiting == 1 })
        maySuspectEnd.happen()
        #expect(await neighbour.consumer.hasCompleted(2))
        #expect(events.withLock { $0 } == ["first", "suspect", "suspect ends", "second"])
        other.worker.stop()
        own.worker.stop()
        try await other.run.value
        try await own.run.value
    }

    /// Goal: when the store is unavailable, only the counts are lost.
    @Test func withoutAStoreMessagesAreHandled() async throws {
        let process = process(1, texts: "a", "b", "c", starts: AbsentStarts(), batch: 1)
        let worker = process.worker { texts, _ in
            process.note(texts[0])
            return []
        }
        try await withRunning(worker) {
            #expect(await process.consumer.hasCompleted(3))
            #expect(process.noted == ["a", "b", "c"])
        }
    }

    /// Goal: after an orderly stop, messages are handled without being counted in the store.
    @Test func nothingIsCountedBehindAnOrderlyEnd() async throws {
        for number in 1...2 {
            let process = process(number, texts: "a", "b", batch: 1)
            let worker = process.worker { [self] texts, _ in
                process.note("\(counts(0, 1))")
                return []
            }
            try await withRunning(worker) {
                #expect(await process.consumer.hasCompleted(2))
                #expect(process.noted == ["[0, 0]", "[0, 0]"])
            }
        }
    }
}

private struct AbsentStarts: MessageStarts {
    private let away = StoreError(.unavailable, message: "away")

    func open(_ partition: ConsumedPartition, owner: String) throws(StoreError) -> Bool { throw away }

    func begin(
        _ offsets: [Int64], of partition: ConsumedPartition, owner: String, regardless: Bool
    ) throws(StoreError) -> [Int] { throw away }

    func end(_ offsets: [Int64], of partition: ConsumedPartition) throws(StoreError) { throw away }
    func giveBack(_ offsets: [Int64], of partition: ConsumedPartition, owner: String) throws(StoreError) { throw away }

    func close(
        _ partition: ConsumedPartition, owner: String, givingBack offsets: [Int64]
    ) throws(StoreError) { throw away }
}

private struct StartsWithoutAnswers: MessageStarts {
    let base: MemoryMessageStarts

    func open(_ partition: ConsumedPartition, owner: String) -> Bool { base.open(partition, owner: owner) }

    func begin(
        _ offsets: [Int64], of partition: ConsumedPartition, owner: String, regardless: Bool
    ) throws(StoreError) -> [Int] {
        _ = base.begin(offsets, of: partition, owner: owner, regardless: regardless)
        throw StoreError(.unavailable, message: "the answer was lost")
    }

    func end(_ offsets: [Int64], of partition: ConsumedPartition) { base.end(offsets, of: partition) }

    func giveBack(_ offsets: [Int64], of partition: ConsumedPartition, owner: String) {
        base.giveBack(offsets, of: partition, owner: owner)
    }

    func close(_ partition: ConsumedPartition, owner: String, givingBack offsets: [Int64]) {
        base.close(partition, owner: owner, givingBack: offsets)
    }
}
