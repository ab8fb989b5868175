import Bus
import ProviderKit
import PushModel
import ServiceKit
import Signing
import Store
import Synchronization
import TestSupport
import Testing
import Topics

/// The processing of a chunk by a sender, with all its possible failures.
@Suite struct DispatchHandlerTests {
    private let offsets = (0..<200).map { UInt16($0 * 3) }

    private func results(in messages: [OutgoingMessage]) throws -> [DeviceResult] {
        try messages.flatMap { try ResultBatch(decoding: $0.value).results }
    }

    private func states(in messages: [OutgoingMessage]) -> [String] {
        messages.flatMap { message in
            String(decoding: message.value, as: UTF8.self).split(separator: "\"state\":\"").dropFirst()
                .map { String($0.prefix { $0 != "\"" }) }
        }
    }

    @Test func everyDeviceIsSentAndReportedOnce() async throws {
        let fixture = try DispatchFixture()
        try await fixture.plan(marking: offsets)
        let gateway = ScriptedGateway { _ in .answered(.delivered) }
        let results = try await fixture.run(fixture.handler(gateway), chunk: fixture.chunk(offsets))
        #expect(gateway.sent.count == 200)
        #expect(Set(gateway.sent.map(\.token)).count == 200)
        #expect(gateway.permitsHeld == 0)
        #expect(states(in: results) == Array(repeating: "delivered", count: 200))
        #expect(try await fixture.counts()[.delivered] == 200)
        #expect(try await fixture.providers() == [.apns: OutcomeCounts { $0 == .delivered ? 200 : 0 }])
    }

    /// Each device gets the proof of its task and of the day on which the task began.
    @Test func aPushCarriesTheProofOfItsDevice() async throws {
        let fixture = try DispatchFixture()
        try await fixture.plan(marking: [3, 4])
        let gateway = ScriptedGateway { _ in .answered(.delivered) }
        let key = try #require(TaskReceiptKey(bytes: Array(1...16)))
        let chunk = try fixture.chunk(
            [3, 4], receiptKey: key,
            payload: PayloadTemplate(parts: [Array("[\"".utf8), Array("\"]".utf8)], slots: [.proof]))
        _ = try await fixture.run(fixture.handler(gateway), chunk: chunk)
        let day = ReceiptProof.day(of: DispatchFixture.start)
        let expected = [0, 1].map { position in
            "[\"\(ReceiptProver(key).proof(of: chunk.segments[0].id(at: position), on: .ios, day: day))\"]"
        }
        #expect(Set(gateway.sent.map { String(decoding: $0.payload, as: UTF8.self) }) == Set(expected))
        #expect(Set(expected).count == 2)
    }

    /// Goal: after a sender crash, only the results that were settled but not sent are sent again. Method: ten chunks
    /// are sent, the results of the last fail, and another sender gets all ten chunks.
    @Test func afterACrashOnlyUnreportedDevicesAreReported() async throws {
        let fixture = try DispatchFixture()
        let chunks = (0..<10).map { number in (0..<200).map { UInt16(200 * number + $0) } }
        try await fixture.plan(marking: chunks.flatMap { $0 })
        let gateway = ScriptedGateway { _ in .answered(.delivered) }
        let dying = fixture.handler(gateway)
        for offsets in chunks.dropLast() { _ = try await fixture.run(dying, chunk: fixture.chunk(offsets)) }
        fixture.producer.refuseResults(true)
        await #expect(throws: BusError.self) { try await fixture.run(dying, chunk: fixture.chunk(chunks[9])) }
        fixture.producer.refuseResults(false)
        let next = fixture.handler(gateway, seed: 5)
        var reported: [UInt16] = []
        for offsets in chunks {
            reported += try results(in: await fixture.run(next, chunk: fixture.chunk(offsets))).map(\.offset)
        }
        #expect(reported.sorted() == chunks[9])
        #expect(try results(in: fixture.producer.results).count == 2_000)
        #expect(gateway.sent.count == 2_000)
    }

    /// A repeated chunk sends no push, and repeats all results until the ledger has recorded that they were sent.
    @Test(arguments: [ShakyLedger.Step?.none, .noteReported])
    func aRedeliveredChunkIsReportedAgain(lost: ShakyLedger.Step?) async throws {
        let fixture = try DispatchFixture()
        try await fixture.plan(marking: offsets)
        let gateway = ScriptedGateway { push in
            push.token.hasSuffix("0")
                ? .answered(ProviderAnswer(.payloadRejected, reason: "PayloadEmpty", status: 400))
                : .answered(.delivered)
        }
        if let lost { fixture.ledger.fail(lost, list: [.notDone]) } else { fixture.producer.refuseResults(true) }
        _ = try? await fixture.run(fixture.handler(gateway), chunk: fixture.chunk(offsets))
        fixture.producer.refuseResults(false)
        let again = try await fixture.run(fixture.handler(gateway, seed: 5), chunk: fixture.chunk(offsets))
        #expect(gateway.sent.count == 200)
        let rejected = offsets.filter { String($0, radix: 16).hasSuffix("0") }.count
        #expect(states(in: again).filter { $0 == "failed" }.count == rejected)
        #expect(states(in: again).count == 200)
        #expect(String(decoding: again[0].value, as: UTF8.self).contains("PayloadEmpty"))
    }

    private func offset(of push: Push) -> UInt16 { UInt16(push.token.suffix(4), radix: 16) ?? .max }

    /// Goal: a chunk with devices claimed by a dead sender is completed immediately, and those devices get a retry when
    /// the claim expires. Method: another sender has claimed half of the chunk and dies.
    @Test(arguments: [TaskPlan.AmbiguityPolicy.atLeastOnce, .atMostOnce])
    func whatADeadSenderHoldsComesWhenItsClaimIsOver(policy: TaskPlan.AmbiguityPolicy) async throws {
        let fixture = try DispatchFixture()
        try await fixture.plan(policy, marking: offsets)
        let held = Array(offsets.prefix(100))
        let lease = Duration.milliseconds(49_500)
        _ = try await fixture.ledger.claim(
            ClaimRequest(
                id: ClaimID(owner: 99, number: 1), offsets: held, attempt: 0, lease: lease, countsBadge: false),
            of: fixture.task, in: fixture.segment)
        let gateway = ScriptedGateway { _ in .answered(.delivered) }
        let handler = fixture.handler(gateway)
        let first = try await fixture.run(handler, chunk: fixture.chunk(offsets))
        #expect(try results(in: first).map(\.offset).sorted() == Array(offsets.dropFirst(100)))
        let orders = try fixture.producer.retries()
        #expect(orders.flatMap(\.offsets).sorted() == held)
        let end = fixture.time.now + lease
        let soon = end.milliseconds..<end.milliseconds + 1_000
        #expect(orders.allSatisfy { $0.attempt == 0 && soon.contains($0.due) })
        #expect(orders.flatMap(\.devices).allSatisfy { $0.tag == UInt32($0.offset) })
        fixture.time.advance(by: .seconds(50))
        let last = try await fixture.run(handler, chunk: fixture.chunk(held))
        #expect(try results(in: last).map(\.offset).sorted() == held)
        #expect(try results(in: last).allSatisfy { $0.state == (policy == .atMostOnce ? .unknown : .delivered) })
        #expect(gateway.sent.count == (policy == .atMostOnce ? 100 : 200))
        #expect(try results(in: fixture.producer.results).count == 200)
    }

    @Test func twoSendersOfOneChunkSendNothingTwice() async throws {
        let fixture = try DispatchFixture()
        try await fixture.plan(marking: offsets)
        let firstClaimed = OneTimeEvent()
        let mayAnswer = OneTimeEvent()
        let slow = ScriptedGateway { _ in
            firstClaimed.happen()
            await mayAnswer.wait()
            return .answered(.delivered)
        }
        let quick = ScriptedGateway { _ in .answered(.delivered) }
        async let first = fixture.run(fixture.handler(slow), chunk: fixture.chunk(offsets))
        await firstClaimed.wait()
        // Devices claimed by the first sender get a retry when its claim expires, in case it dies.
        _ = try await fixture.run(fixture.handler(quick, seed: 5), chunk: fixture.chunk(offsets))
        mayAnswer.happen()
        _ = try await first
        #expect(Set(slow.sent.map(\.token)).isDisjoint(with: quick.sent.map(\.token)))
        #expect(slow.sent.count + quick.sent.count == 200)
        #expect(Set(try fixture.producer.retries().flatMap(\.offsets)).isSuperset(of: Set(slow.sent.map(offset))))
        #expect(try await fixture.run(fixture.handler(quick, seed: 6), chunk: fixture.chunk(offsets)).isEmpty)
        #expect(Set(try results(in: fixture.producer.results).map(\.offset)) == Set(offsets))
        #expect(try results(in: fixture.producer.results).count == 200)
    }

    @Test func aRetryIsOnTheBusAndTheDeviceWaits() async throws {
        let fixture = try DispatchFixture()
        try await fixture.plan(marking: offsets)
        let gateway = ScriptedGateway { _ in
            .answered(
                ProviderAnswer(.retryLater(RetryAdvice(floor: .seconds(60))), reason: "Busy", status: 503))
        }
        let results = try await fixture.run(fixture.handler(gateway), chunk: fixture.chunk(offsets))
        #expect(results.isEmpty)
        let orders = try fixture.producer.retries()
        #expect(Set(orders.flatMap(\.offsets)) == Set(offsets))
        #expect(orders.allSatisfy { $0.attempt == 1 && $0.due >= (fixture.time.now + .seconds(60)).milliseconds })
        #expect(try await fixture.counts()[.waiting] == 200)
        // The next attempt is claimed; a repeat of the first one is not.
        let ready = ScriptedGateway { _ in .answered(.delivered) }
        let stale = try await fixture.run(fixture.handler(ready, seed: 5), chunk: fixture.chunk(offsets))
        #expect(stale.isEmpty && ready.sent.isEmpty)
        let next = try await fixture.run(fixture.handler(ready, seed: 6), chunk: fixture.chunk(offsets, attempt: 1))
        #expect(states(in: next).count == 200)
    }

    /// A retry contains facts that the registry may lose: the identity of a removed device, and whether it is silent.
    @Test(arguments: [true, false]) func aRetryNamesItsDevices(isSilent: Bool) async throws {
        let fixture = try DispatchFixture()
        try await fixture.plan(marking: [5, 9])
        let gateway = ScriptedGateway { _ in
            .answered(ProviderAnswer(.retryLater(RetryAdvice(floor: .seconds(60))), reason: "Busy", status: 503))
        }
        _ = try await fixture.run(fixture.handler(gateway), chunk: fixture.chunk([5, 9], isSilent: isSilent))
        let orders = try fixture.producer.retries()
        #expect(orders.allSatisfy { $0.provider == .apns && $0.task == fixture.task })
        let devices = orders.flatMap(\.devices).sorted { $0.offset < $1.offset }
        #expect(devices == [5, 9].map { RetryOrder.Device(offset: $0, tag: UInt32($0), isSilent: isSilent) })
    }

    @Test func aRetryKeepsTheContentOfEachDevice() async throws {
        let fixture = try DispatchFixture()
        try await fixture.plan(marking: [5, 9])
        let chunk = try fixture.chunk([5, 9])
        let contents = [ContentNumber(part: 2, place: 1), ContentNumber(part: 0, place: 399)]
        var devices = SegmentDevices(segment: fixture.segment.number)
        for (place, offset) in [UInt16(5), 9].enumerated() {
            let device = Device(
                tag: UInt32(offset), token: try PushToken(.apns, text: chunk.segments[0].tokens[place]), created: 1)
            devices.append(offset: offset, variant: UInt8(place), device: device)
        }
        let varied = DispatchChunk(
            task: chunk.task, app: chunk.app, lane: chunk.lane, attempt: 0, accepted: chunk.accepted,
            deadline: chunk.deadline, countsBadge: false, repeatsUnknown: true,
            variants: contents.map { chunk.variants[0].of($0) }, segments: [devices])
        let gateway = ScriptedGateway { _ in
            .answered(ProviderAnswer(.retryLater(RetryAdvice(floor: .seconds(60))), reason: "Busy", status: 503))
        }
        _ = try await fixture.run(fixture.handler(gateway), chunk: varied)
        let retried = try fixture.producer.retries().flatMap(\.devices).sorted { $0.offset < $1.offset }
        #expect(retried.map(\.offset) == [5, 9] && retried.map(\.content) == contents)
    }

    @Test func whatIsNotStoredIsTriedOnce() async throws {
        let fixture = try DispatchFixture()
        try await fixture.plan(marking: [1, 2])
        let gateway = ScriptedGateway { _ in
            .answered(ProviderAnswer(.retryLater(.soon), reason: "Busy", status: 503))
        }
        let results = try await fixture.run(fixture.handler(gateway), chunk: fixture.chunk([1, 2], expiration: 0))
        #expect(states(in: results) == ["failed", "failed"])
    }

    @Test(arguments: [true, false])
    func anUnknownOutcomeFollowsThePolicy(repeats: Bool) async throws {
        let fixture = try DispatchFixture()
        try await fixture.plan(repeats ? .atLeastOnce : .atMostOnce, marking: [1])
        let gateway = ScriptedGateway { _ in .unknown("cut off") }
        let results = try await fixture.run(
            fixture.handler(gateway), chunk: fixture.chunk([1], repeatsUnknown: repeats))
        #expect(states(in: results) == (repeats ? [] : ["unknown"]))
        #expect(try fixture.producer.retries().map(\.attempt) == (repeats ? [1] : []))
    }

    @Test func whatWasNotSentKeepsItsAttempt() async throws {
        let fixture = try DispatchFixture()
        try await fixture.plan(marking: [1])
        let gateway = ScriptedGateway { _ in .notSent("refused") }
        _ = try await fixture.run(fixture.handler(gateway), chunk: fixture.chunk([1], expiration: 0))
        #expect(try fixture.producer.retries().map(\.attempt) == [0])
    }

    /// The wrong environment: every token in a row is refused, and no device may be deleted.
    @Test func tenThousandBadTokensDeleteNoDevice() async throws {
        let fixture = try DispatchFixture()
        let gateway = ScriptedGateway { _ in
            .answered(ProviderAnswer(.invalidDevice(since: nil), reason: "BadDeviceToken", status: 400))
        }
        let all = (0..<4_000).map { UInt16($0) }
        try await fixture.plan(marking: all)
        let handler = fixture.handler(gateway)
        for start in stride(from: 0, to: 4_000, by: 500) {
            let messages = try await fixture.run(handler, chunk: fixture.chunk(Array(all[start..<start + 500])))
            #expect(try results(in: messages).allSatisfy { !$0.isCounted }, "a refusal must not be counted")
        }
        let counts = try await fixture.counts()
        #expect(counts[.invalid] == 4_000)
        #expect(counts[.invalidRemoved] == 0)
    }

    @Test func aDeadTokenAmongManyGoodOnesIsRemoved() async throws {
        let fixture = try DispatchFixture()
        try await fixture.plan(marking: offsets)
        let bad = try fixture.chunk(offsets).segments[0].tokens[100]
        let gateway = ScriptedGateway { push in
            .answered(
                push.token == bad
                    ? ProviderAnswer(.invalidDevice(since: nil), reason: "BadDeviceToken", status: 400) : .delivered)
        }
        let handler = fixture.handler(gateway)
        // The first batch proves that the app can deliver.
        _ = try await fixture.run(handler, chunk: fixture.chunk(Array(offsets[..<64])))
        _ = try await fixture.run(handler, chunk: fixture.chunk(Array(offsets[64...])))
        #expect(try await fixture.counts()[.invalidRemoved] == 1)
    }

    /// Goal: if an app delivers but many devices are refused, none is deleted immediately, and repeated refusals delete
    /// a device in the end. Method: every third token is bad.
    @Test func badTokensAmongGoodOnesCount() async throws {
        let fixture = try DispatchFixture()
        // Whole batches, since a few answers are no basis for a ratio.
        let offsets = Array(offsets.prefix(3 * DispatchHandler.batchMaximum))
        try await fixture.plan(marking: offsets)
        let chunk = try fixture.chunk(offsets)
        let bad = Set(chunk.segments[0].tokens.enumerated().filter { $0.offset % 3 == 0 }.map(\.element))
        let gateway = ScriptedGateway { push in
            .answered(
                bad.contains(push.token)
                    ? ProviderAnswer(.invalidDevice(since: nil), reason: "UNREGISTERED", status: 404) : .delivered)
        }
        fixture.ledger.fail(.noteReported, list: [.notDone])
        let results = try results(in: await fixture.run(fixture.handler(gateway), chunk: chunk))
        #expect(results.count { $0.state == .invalid && $0.isCounted } == bad.count)
        #expect(results.count { $0.state == .delivered && !$0.isCounted } == offsets.count - bad.count)
        // The ledger stores only the outcome, so a repeat is not counted.
        let again = try self.results(in: await fixture.run(fixture.handler(gateway), chunk: chunk))
        #expect(again.count == offsets.count && again.allSatisfy { !$0.isCounted })
    }

    /// Apple reports since when a token is dead; a device that registered later is alive.
    @Test func theProvidersTimeProvesADeathOnlyBeforeTheRegistration() async throws {
        let fixture = try DispatchFixture()
        try await fixture.plan(marking: [1, 2])
        let death = Timestamp(milliseconds: 1_700_000_000_000)
        let gateway = ScriptedGateway { _ in
            .answered(ProviderAnswer(.invalidDevice(since: death), reason: "Unregistered", status: 410))
        }
        let handler = fixture.handler(gateway)
        let before = try await fixture.run(handler, chunk: fixture.chunk([1], updated: 1_699_999_999))
        #expect(states(in: before) == ["invalid_removed"])
        let after = try await fixture.run(handler, chunk: fixture.chunk([2], updated: 1_700_000_000))
        #expect(states(in: after) == ["invalid"])
    }

    @Test func aMisconfiguredAppKeepsItsDevices() async throws {
        let fixture = try DispatchFixture()
        try await fixture.plan(marking: offsets)
        let gateway = ScriptedGateway { _ in
            .answered(ProviderAnswer(.misconfigured, reason: "BadCertificate", status: 403))
        }
        let handler = fixture.handler(gateway)
        #expect(try await fixture.run(handler, chunk: fixture.chunk(Array(offsets[..<10]))).isEmpty)
        #expect(fixture.halts.detail.contains("BadCertificate"))
        // From now on no push is attempted, and none is lost.
        let sent = gateway.sent.count
        #expect(try await fixture.run(handler, chunk: fixture.chunk(Array(offsets[10...]))).isEmpty)
        #expect(gateway.sent.count == sent)
        #expect(try await fixture.counts()[.waiting] == 200)
        #expect(try fixture.producer.retries().allSatisfy { $0.attempt == 0 })
    }

    /// Goal: a device of an app without the provider ends immediately, so that its task can close; a device of an app
    /// that the sender does not know yet waits.
    @Test func aDeviceWithoutAProviderEndsAtOnce() async throws {
        let fixture = try DispatchFixture()
        try await fixture.plan(marking: [1, 2])
        let results = try results(in: await fixture.run(fixture.handler(nil), chunk: fixture.chunk([1])))
        #expect(results.map(\.state) == [.suppressed] && results.map(\.reason) == ["no_provider"])
        #expect(fixture.halts.detail.isEmpty)
        let unknown = fixture.handler(nil, absent: .unknownApp)
        #expect(try await fixture.run(unknown, chunk: fixture.chunk([2])).isEmpty)
        #expect(try await fixture.counts()[.waiting] == 1)
    }

    /// Goal: devices wait until an app's credentials are corrected, but not indefinitely. Method: the provider refuses
    /// them, is probed each minute for an hour, and accepts them in the end.
    @Test func refusedCredentialsAreWaitedForForAnHour() async throws {
        let fixture = try DispatchFixture()
        try await fixture.plan(marking: [1, 2, 3, 4], deadline: .seconds(7_200))
        let isMended = Atomic(false)
        let gateway = ScriptedGateway { _ in
            isMended.load(ordering: .relaxed)
                ? .answered(.delivered) : .answered(ProviderAnswer(.misconfigured, reason: "BadTopic", status: 400))
        }
        let handler = fixture.handler(gateway)
        for _ in 0..<60 {
            let waiting = try await fixture.run(handler, chunk: fixture.chunk([1], deadline: .seconds(7_200)))
            #expect(waiting.isEmpty)
            fixture.time.advance(by: .seconds(60))
        }
        #expect(gateway.sent.count == 60)
        // The probing device, and one between two probes.
        let probed = try results(in: await fixture.run(handler, chunk: fixture.chunk([1], deadline: .seconds(7_200))))
        #expect(probed.map(\.state) == [.failed] && probed.map(\.reason) == ["BadTopic"])
        let untried = try results(in: await fixture.run(handler, chunk: fixture.chunk([2], deadline: .seconds(7_200))))
        #expect(untried.map(\.state) == [.failed] && untried.map(\.reason) == ["BadTopic"])
        #expect(gateway.sent.count == 61)
        isMended.store(true, ordering: .relaxed)
        fixture.time.advance(by: .seconds(60))
        for device: UInt16 in [3, 4] {
            let mended = try await fixture.run(handler, chunk: fixture.chunk([device], deadline: .seconds(7_200)))
            #expect(states(in: mended) == ["delivered"])
        }
    }

    /// Goal: a key that is valid only for production does not delay production devices because of sandbox ones. Method:
    /// a device of each environment; the provider refuses the sandbox, and one push type.
    @Test func aMistakeInOneEnvironmentDoesNotHaltTheOther() async throws {
        let fixture = try DispatchFixture()
        try await fixture.plan(marking: [1, 2, 3, 4])
        let gateway = ScriptedGateway { push in
            push.isSandbox || push.content.variant.pushType == "voip"
                ? .answered(ProviderAnswer(.misconfigured, reason: "Forbidden", status: 403)) : .answered(.delivered)
        }
        let handler = fixture.handler(gateway)
        _ = try await fixture.run(handler, chunk: fixture.chunk([1], isSandbox: true))
        _ = try await fixture.run(handler, chunk: fixture.chunk([2], pushType: "voip"))
        let results = try await fixture.run(handler, chunk: fixture.chunk([3]))
        #expect(states(in: results) == ["delivered"])
        #expect(fixture.halts.detail == "news (apns sandbox alert): Forbidden; news (apns voip): Forbidden")
        // After a long time without requests no device is waiting any more.
        fixture.time.advance(by: .seconds(2 * 3_600))
        #expect(fixture.halts.detail.isEmpty)
    }

    @Test func aMendedAppIsFoundByTheProbe() async throws {
        let fixture = try DispatchFixture()
        try await fixture.plan(marking: [1, 2, 3])
        let isMended = Atomic(false)
        let gateway = ScriptedGateway { _ in
            isMended.load(ordering: .relaxed)
                ? .answered(.delivered) : .answered(ProviderAnswer(.misconfigured, reason: "BadTopic", status: 400))
        }
        let handler = fixture.handler(gateway)
        _ = try await fixture.run(handler, chunk: fixture.chunk([1]))
        isMended.store(true, ordering: .relaxed)
        _ = try await fixture.run(handler, chunk: fixture.chunk([2]))
        #expect(gateway.sent.count == 1)
        fixture.time.advance(by: .seconds(60))
        _ = try await fixture.run(handler, chunk: fixture.chunk([3]))
        #expect(try await fixture.counts()[.delivered] == 1)
        #expect(fixture.halts.detail.isEmpty)
    }

    @Test func aPausedProviderHasItsDevicesPutAside() async throws {
        let fixture = try DispatchFixture()
        try await fixture.plan(marking: offsets)
        let gateway = ScriptedGateway { _ in .answered(.delivered) }
        gateway.answerAdmissions(.pausedFor(.seconds(30)))
        #expect(try await fixture.run(fixture.handler(gateway), chunk: fixture.chunk(offsets)).isEmpty)
        #expect(gateway.sent.isEmpty)
        let orders = try fixture.producer.retries()
        #expect(orders.allSatisfy { $0.attempt == 0 && $0.due >= (fixture.time.now + .seconds(30)).milliseconds })
        #expect(try await fixture.counts()[.waiting] == 200)
    }

    @Test func withoutALedgerNothingIsSent() async throws {
        let fixture = try DispatchFixture()
        let gateway = ScriptedGateway { _ in .answered(.delivered) }
        #expect(try await fixture.run(fixture.handler(gateway), chunk: fixture.chunk(offsets)).isEmpty)
        #expect(gateway.sent.isEmpty && gateway.permitsHeld == 0)
        #expect(fixture.metrics.exposition().contains("carillon_sender_unledgered_devices_total 200"))
    }

    @Test func aCancelledTaskEndsUnsent() async throws {
        let fixture = try DispatchFixture()
        try await fixture.plan(marking: offsets)
        _ = try await fixture.ledger.cancel(fixture.task, in: fixture.segment)
        let gateway = ScriptedGateway { _ in .answered(.delivered) }
        let results = try await fixture.run(fixture.handler(gateway), chunk: fixture.chunk(offsets))
        #expect(gateway.sent.isEmpty && gateway.permitsHeld == 0)
        #expect(states(in: results) == Array(repeating: "cancelled", count: 200))
    }
}
