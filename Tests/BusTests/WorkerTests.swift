import Bus
import ServiceKit
import TestSupport
import Testing
import Topics

/// Guarantees of the worker, on a manual clock: no test takes real time.
@Suite struct WorkerTests {
    private func bytes(_ texts: String...) -> [[UInt8]] { texts.map { Array($0.utf8) } }

    /// Goal: backoff doubles up to its maximum, with jitter between half and all of it. Method: advance the clock to
    /// just before the minimum, where nothing may happen, and then to the maximum, where it must.
    @Test func theWaitDoublesUpToItsBound() async throws {
        let fixture = WorkerFixture(attempts: 1_000)
        fixture.consumer.offer(bytes("a"))
        let (worker, run) = fixture.start { [fixture] _, _ in
            fixture.note("attempt")
            throw Outage()
        }
        for (attempt, ceiling) in [1, 2, 4, 8, 8, 8].enumerated() {
            try #require(await fixture.hasNoted(attempt + 1))
            try #require(await fixture.time.hasSleepers(1))
            fixture.time.advance(by: .milliseconds(ceiling * 500 - 1))
            try #require(await fixture.time.hasSleepers(1))
            #expect(fixture.noted.count == attempt + 1)
            fixture.time.advance(by: .milliseconds(ceiling * 500 + 1))
        }
        try #require(await fixture.hasNoted(7))
        run.cancel()
        worker.stop()
        try await run.value
        #expect(fixture.consumer.completed.isEmpty && fixture.consumer.isClosed)
    }

    /// This includes child tasks of the handler.
    @Test func handlersRunWithThePriorityOfTheirWorker() async throws {
        let fixture = WorkerFixture(priority: .high)
        fixture.consumer.offer(bytes("a"))
        let worker = fixture.worker { [fixture] _, _ in
            async let inner = Task.currentPriority
            fixture.note("\(Task.currentPriority == .high) \(await inner == .high)")
            return []
        }
        try await withRunning(worker) {
            try #require(await fixture.consumer.hasCompleted(1))
            #expect(fixture.noted == ["true true"])
        }
    }

    /// Goal: outages do not count as attempts. Method: far more outages than attempts, then a failure of the message
    /// itself, then success.
    @Test func anOutageIsNoAttempt() async throws {
        let fixture = WorkerFixture(attempts: 2)
        fixture.consumer.offer(bytes("a"))
        let worker = fixture.worker { [fixture] _, context in
            fixture.note("attempt \(context.attempt)")
            switch fixture.noted.count {
            case ...20: throw Outage()
            case 21: throw HandlerError()
            case 22...40: throw Outage()
            default: return []
            }
        }
        try await withRunning(worker) {
            for _ in 1...40 {
                try #require(await fixture.time.hasSleepers(1))
                fixture.time.advance(by: .seconds(8))
            }
            try #require(await fixture.consumer.hasCompleted(1))
            #expect(fixture.noted.count == 41 && fixture.noted.prefix(21).allSatisfy { $0 == "attempt 1" })
            #expect(fixture.noted.suffix(20).allSatisfy { $0 == "attempt 2" })
            #expect(fixture.deadLetters.isEmpty)
        }
    }

    /// Goal: a dependency that fails for one app does not hold the messages of other apps. Method: a batch of three
    /// apps, one of which fails for two attempts.
    @Test func anAppsTroubleKeepsNoOthers() async throws {
        let fixture = WorkerFixture()
        fixture.consumer.offer(bytes("red:1", "blue:1", "red:2", "green:1"))
        let worker = fixture.worker { [fixture] texts, _ in
            fixture.note(texts.joined(separator: " "))
            if texts.contains(where: { $0.hasPrefix("red") }), fixture.noted.count < 5 { throw Outage() }
            return []
        }
        try await withRunning(worker) {
            try #require(await fixture.time.hasSleepers(1))
            #expect(fixture.noted == ["red:1 blue:1 red:2 green:1", "red:1 red:2", "blue:1", "green:1"])
            #expect(fixture.consumer.completed.isEmpty)
            fixture.time.advance(by: .seconds(8))
            try #require(await fixture.consumer.hasCompleted(4))
            #expect(fixture.noted.dropFirst(4) == ["red:1 red:2"])
        }
    }

    /// Goal: one bad message does not fail its neighbours, and the order is kept. Method: a batch fails because of its
    /// second message, which then fails alone up to its limit.
    @Test func attemptsCountAloneAndOrderStays() async throws {
        let fixture = WorkerFixture(attempts: 3)
        fixture.consumer.offer(bytes("a", "bad", "c"))
        let worker = fixture.worker { [fixture] texts, _ in
            fixture.note(texts.joined(separator: "+"))
            if texts.contains("bad") { throw HandlerError() }
            return []
        }
        try await withRunning(worker) {
            for _ in 1...2 {
                try #require(await fixture.time.hasSleepers(1))
                fixture.time.advance(by: .seconds(8))
            }
            try #require(await fixture.consumer.hasCompleted(3))
            #expect(fixture.noted == ["a+bad+c", "a", "bad", "bad", "bad", "c"])
            let letter = try #require(fixture.deadLetters.first)
            #expect(letter.text == "bad" && letter.reason == .exhausted && letter.attempts == 3 && letter.offset == 1)
            #expect(fixture.deadLetters.count == 1)
        }
    }

    @Test func poisonGoesAtOnce() async throws {
        let fixture = WorkerFixture(attempts: 100)
        fixture.consumer.offer(bytes("poison"))
        let worker = fixture.worker { _, _ in throw PoisonMessageError("no such app") }
        try await withRunning(worker) {
            try #require(await fixture.consumer.hasCompleted(1))
            #expect(fixture.deadLetters.map(\.reason) == [.poison])
            #expect(fixture.deadLetters.first?.detail == "no such app")
        }
    }

    @Test func undecodableBytesLeaveTheirNeighbours() async throws {
        let fixture = WorkerFixture()
        fixture.consumer.offer(bytes("a", "garbled 1", "b", "garbled 2"))
        let worker = fixture.worker { [fixture] texts, _ in
            fixture.note(texts.joined(separator: "+"))
            return []
        }
        try await withRunning(worker) {
            try #require(await fixture.consumer.hasCompleted(4))
            #expect(fixture.noted == ["a+b"])
            #expect(fixture.deadLetters.map(\.text) == ["garbled 1", "garbled 2"])
            #expect(fixture.deadLetters.allSatisfy { $0.reason == .undecodable && $0.detail == "this is garbled" })
        }
    }

    @Test func deathWaitsForTheBus() async throws {
        let producer = ScriptedProducer(failures: [
            BusError(.unavailable, message: "away"), BusError(.full, message: "full"),
        ])
        let fixture = WorkerFixture(producer: producer)
        fixture.consumer.offer(bytes("garbled"))
        let worker = fixture.worker { _, _ in [] }
        try await withRunning(worker) {
            for _ in 1...2 {
                try #require(await fixture.time.hasSleepers(1))
                #expect(fixture.consumer.completed.isEmpty)
                fixture.time.advance(by: .seconds(8))
            }
            try #require(await fixture.consumer.hasCompleted(1))
            #expect(fixture.deadLetters.count == 1)
        }
    }

    /// Goal: revoked work belongs to another consumer. Method: the partition is revoked while the handler works and
    /// during the backoff; the work may be neither completed nor retried.
    @Test(arguments: [false, true])
    func whatWasTakenAwayIsAbandoned(whileWaiting: Bool) async throws {
        let fixture = WorkerFixture()
        let gate = OneTimeEvent()
        fixture.consumer.offer(bytes("mine"))
        let worker = fixture.worker { [fixture] texts, _ in
            fixture.note(texts[0])
            guard texts == ["mine"] else { return [] }
            if !whileWaiting { await gate.wait() }
            throw HandlerError()
        }
        try await withRunning(worker) {
            try #require(await fixture.hasNoted(1))
            if whileWaiting { try #require(await fixture.time.hasSleepers(1)) }
            fixture.consumer.takeAway()
            gate.happen()
            try #require(await fixture.time.hasSleepers(1))
            fixture.time.advance(by: .seconds(8))
            fixture.consumer.offer(bytes("next"), to: 1)
            try #require(await fixture.consumer.hasCompleted(1))
            #expect(fixture.noted == ["mine", "next"] && fixture.consumer.completed == ["next"])
            #expect(fixture.deadLetters.isEmpty)
        }
    }

    /// Goal: work cut off by the deadline is neither completed nor dead-lettered. Method: cancel in the handler, which
    /// then fails, and during the backoff after a failure.
    @Test(arguments: [false, true])
    func cancellingAbandons(whileWaiting: Bool) async throws {
        let fixture = WorkerFixture(attempts: 1)
        fixture.consumer.offer(bytes("a"))
        let (worker, run) = fixture.start { [fixture] _, _ in
            fixture.note("begun")
            if whileWaiting { throw Outage() }
            await OneTimeEvent().wait()
            throw HandlerError()
        }
        try #require(await fixture.hasNoted(1))
        if whileWaiting { try #require(await fixture.time.hasSleepers(1)) }
        worker.stop()
        run.cancel()
        try await run.value
        #expect(fixture.consumer.completed.isEmpty && fixture.consumer.isClosed)
        #expect(fixture.deadLetters.isEmpty)
        #expect(fixture.noted.count == 1)
    }

    /// Goal: a handler whose own task was cancelled has failed; this must not stall its partition.
    @Test func aCancellationOfTheHandlersOwnIsAFailure() async throws {
        let fixture = WorkerFixture(attempts: 1)
        fixture.consumer.offer(bytes("a"))
        let worker = fixture.worker { _, _ in throw CancellationError() }
        try await withRunning(worker) {
            try #require(await fixture.consumer.hasCompleted(1))
            #expect(fixture.deadLetters.map(\.reason) == [.exhausted])
        }
    }

    /// Goal: nothing is acknowledged before its outputs are durable. Method: the producer fails once; the message must
    /// not be completed then, and is handled again.
    @Test func outputsComeBeforeCompletion() async throws {
        let fixture = WorkerFixture(producer: ScriptedProducer(failures: [BusError(.unavailable, message: "away")]))
        let output = OutgoingMessage(channel: TestTopics.make().channel, key: nil, value: [1])
        fixture.consumer.offer(bytes("a"))
        let worker = fixture.worker { [fixture] _, _ in
            fixture.note("handled")
            return [output]
        }
        try await withRunning(worker) {
            try #require(await fixture.time.hasSleepers(1))
            #expect(fixture.consumer.completed.isEmpty && fixture.producer.sent.isEmpty)
            fixture.time.advance(by: .seconds(8))
            try #require(await fixture.consumer.hasCompleted(1))
            #expect(fixture.noted == ["handled", "handled"])
            #expect(fixture.producer.sent.map(\.value) == [[1]])
        }
    }

    /// Goal: concurrent batches never exceed the limit. Method: handlers stop at a gate; once the limit is reached, the
    /// other messages must remain in the inbox.
    @Test func worksOnNoMoreAtOnceThanAllowed() async throws {
        let fixture = WorkerFixture(order: .none, batch: 1, concurrency: 3)
        let gate = OneTimeEvent()
        fixture.consumer.offer((0..<20).map { Array("\($0)".utf8) })
        let running = Monitor((now: 0, most: 0))
        let worker = fixture.worker { [fixture] _, _ in
            running.change { running in
                running.now += 1
                running.most = max(running.most, running.now)
            }
            fixture.note("begun")
            await gate.wait()
            running.change { $0.now -= 1 }
            return []
        }
        try await withRunning(worker) {
            try #require(await fixture.hasNoted(3))
            gate.happen()
            try #require(await fixture.consumer.hasCompleted(20))
            #expect(running.withLock { $0.most } == 3)
        }
    }

    /// Goal: `/healthz` distinguishes a stuck handler from a worker that is idle or waits for its next attempt.
    @Test func onlyAStuckHandlerStalls() async throws {
        let fixture = WorkerFixture(backoff: Backoff(first: .seconds(1_000), longest: .seconds(1_000)))
        let gate = OneTimeEvent()
        let (worker, run) = fixture.start { [fixture] texts, context in
            fixture.note(texts[0])
            guard texts == ["a"] else { return [] }
            if context.attempt == 1 { throw HandlerError() }
            await gate.wait()
            return []
        }
        fixture.consumer.offer(bytes("first"), to: 1)
        try #require(await fixture.consumer.hasCompleted(1))
        fixture.time.advance(by: .seconds(3_600))
        #expect(fixture.health.stalledLoops().isEmpty, "idle")

        fixture.consumer.offer(bytes("a"))
        try #require(await fixture.hasNoted(2))
        try #require(await fixture.time.hasSleepers(1))
        fixture.time.advance(by: .seconds(400))
        #expect(fixture.health.stalledLoops().isEmpty, "between attempts")

        fixture.time.advance(by: .seconds(600))
        try #require(await fixture.hasNoted(3))
        fixture.time.advance(by: .seconds(120))
        #expect(fixture.health.stalledLoops().isEmpty)
        fixture.time.advance(by: .seconds(1))
        let stalled = fixture.health.stalledLoops()
        #expect(stalled.count == 1 && stalled.first?.hasPrefix("\(worker.name) #1 has not ticked") == true)

        gate.happen()
        try #require(await fixture.consumer.hasCompleted(2))
        worker.stop()
        try await run.value
        #expect(fixture.health.stalledLoops().isEmpty, "finished")
    }
}
