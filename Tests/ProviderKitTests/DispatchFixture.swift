import Bus
import MemoryStore
import ProviderKit
import PushModel
import ServiceKit
import Store
import TestSupport
import Topics

/// A sender's handler with a ledger in memory, a scripted provider, and a manual clock.
final class DispatchFixture: Sendable {
    let time = ManualTimeSource()
    let ledger: ShakyLedger
    let producer = RecordingProducer()
    let halts: AppHalts
    let outages: OutageWatch
    let sharedOutages: MemoryProviderOutages
    let breakers: DeletionBreakers
    let pacing: MemoryPushPacing
    let witness = ScriptedWitness()
    let task = TaskID(high: 7, low: 9)
    let app: AppID
    let metrics = Metrics()
    private let log: Log

    init() throws {
        ledger = ShakyLedger(MemoryLedger(time: time))
        app = try AppID("news")
        log = Log(service: "test", level: .error, sink: CollectingSink())
        halts = AppHalts(patience: .seconds(3_600), time: time, log: log, metrics: metrics)
        sharedOutages = MemoryProviderOutages(time: time)
        outages = OutageWatch(
            sharedOutages, probeLease: .seconds(60), time: time, random: SeededRandomSource(seed: 3), log: log,
            metrics: metrics)
        breakers = DeletionBreakers(time: time)
        pacing = MemoryPushPacing(time: time)
    }

    var segment: SegmentID { SegmentID(app, number: SegmentNumber(rawValue: 3)) }
    static let start = Timestamp(milliseconds: 1_767_225_600_000)

    func plan(
        _ policy: TaskPlan.AmbiguityPolicy = .atLeastOnce, marking offsets: [UInt16],
        deadline: Duration = .seconds(3_600), of other: TaskID? = nil
    ) async throws {
        let task = other ?? task
        _ = try await ledger.plan(
            task,
            as: TaskPlan(app: app, jobs: 1, isFast: false, deadline: DispatchFixture.start + deadline, policy: policy)
        )
        _ = try await ledger.mark(SegmentSet(offsets), of: task, in: segment)
    }

    func handler(
        _ gateway: (any PushGateway)?, absent: GatewayLookup = .noProvider, seed: UInt64 = 1,
        outages other: OutageWatch? = nil
    ) -> DispatchHandler {
        DispatchHandler(
            ledger: ledger, gateways: OneGateway(gateway: gateway, absent: absent), halts: halts,
            outages: other ?? outages, breakers: breakers, witness: witness,
            pacer: PushPacer(pacing, time: time), random: SeededRandomSource(seed: seed),
            metrics: metrics)
    }

    /// Returns the messages sent to `results` and those that the handler returned; rethrows its error. With a clock of
    /// its own the handler does not sleep on that of the fixture.
    func run(
        _ handler: DispatchHandler, chunk: DispatchChunk, time own: ManualTimeSource? = nil
    ) async throws -> [OutgoingMessage] {
        let bytes = chunk.encoded()
        let origin = IncomingMessage(
            partition: PartitionID(channel: Topics.dispatchAPNs.channel(chunk.lane).name, number: 0), offset: 0,
            key: nil,
            value: bytes, headers: [], timestamp: time.now)
        let sent = RecordingProducer(before: producer)
        let context = HandlerContext(
            time: own ?? time, random: SeededRandomSource(seed: 2), producer: sent, log: log, attempt: 1)
        let returned = try await handler.handle([ReceivedMessage(message: chunk, origin: origin)], context: context)
        return sent.results + returned
    }

    func chunk(
        _ offsets: [UInt16], kind: PushProtocol = .apns, attempt: UInt8 = 0, timing: DeviceTiming = .ofTask,
        expiration: UInt32 = 1_900_000_000,
        repeatsUnknown: Bool = true,
        updated: UInt32 = 1_700_000_000, isSilent: Bool = false, isSandbox: Bool = false, pushType: String = "alert",
        deadline: Duration = .seconds(3_600), rates: [PushRate] = [], cap: ChunkCap? = nil,
        receiptKey: TaskReceiptKey? = nil, payload: PayloadTemplate = PayloadTemplate(Array("{}".utf8)),
        of other: TaskID? = nil
    ) throws -> DispatchChunk {
        var devices = SegmentDevices(segment: segment.number)
        for offset in offsets {
            let digits = String(offset, radix: 16)
            let text =
                kind == .apns
                ? String(repeating: "0", count: 64 - digits.count) + digits : "https://push-\(digits).example/"
            let token = try PushToken(kind, text: text)
            var device = Device(tag: UInt32(offset), token: token, created: updated)
            if isSandbox { device.environment = .sandbox }
            devices.append(
                offset: offset, variant: 0, device: device)
        }
        let variant = RenderedVariant(
            kind: kind, priority: .high, pushType: pushType, collapseID: "x", expiration: expiration,
            payload: payload, isSilent: isSilent)
        return DispatchChunk(
            task: other ?? task, app: app, lane: .bulk, attempt: attempt, timing: timing, cap: cap,
            accepted: DispatchFixture.start.milliseconds, deadline: (DispatchFixture.start + deadline).milliseconds,
            countsBadge: true,
            repeatsUnknown: repeatsUnknown, rates: rates, receiptKey: receiptKey, variants: [variant],
            segments: [devices])
    }

    /// The devices by provider, once all have ended.
    func providers() async throws -> [PushProtocol: OutcomeCounts] {
        try await ledger.resolve(job: 0, unmatched: 0, of: task)
        return try await ledger.close([segment], of: task)?.providers ?? [:]
    }

    func counts(of other: TaskID? = nil) async throws -> StateCounts {
        let task = other ?? task
        return try await ledger.states(of: task, in: segment)?.counts ?? StateCounts()
    }
}

/// Records the messages that a handler sends.
final class RecordingProducer: BusProducer {
    private struct State {
        var sent: [OutgoingMessage] = []
        var refusesResults = false
    }

    private let state = Monitor(State())
    /// A second producer that gets the same messages.
    private let next: RecordingProducer?

    init(before next: RecordingProducer? = nil) {
        self.next = next
    }

    var sent: [OutgoingMessage] { state.withLock { $0.sent } }
    var results: [OutgoingMessage] { sent.filter { $0.channel.name == Topics.results.declaration.channels[0].name } }

    /// Makes the sending of results fail, so that a settlement cannot be followed by its results.
    func refuseResults(_ refuses: Bool) {
        state.change { $0.refusesResults = refuses }
    }

    func retries() throws -> [RetryOrder] {
        try sent.filter { $0.channel.name.hasPrefix("retries") }.map { try RetryOrder(decoding: $0.value) }
    }

    func send(_ messages: [OutgoingMessage]) async throws(BusError) -> [MessagePosition] {
        _ = try await next?.send(messages)
        let isRefused = state.change { state in
            let isRefused = state.refusesResults && messages.contains { $0.channel.name.hasPrefix("results") }
            if !isRefused { state.sent += messages }
            return isRefused
        }
        if isRefused { throw BusError(.unavailable, message: "the bus is away") }
        return messages.map { _ in MessagePosition(partition: 0, offset: nil) }
    }

    func close() async {}
}

extension ProviderAnswer {
    static let delivered = ProviderAnswer(.delivered, reason: "", status: 200)
}
