import Bus
import PushModel
import ServiceKit
import Signing
import Store
import Topics

/// Devices of a chunk in one segment and with one route: they are claimed and settled together.
struct DispatchBatch: Sendable {
    let chunk: DispatchChunk
    let devices: SegmentDevices
    let route: SendingRoute
    let positions: [Int]
    /// Of devices that are shown something; nil without a cap.
    let cap: ChunkCap?
    /// By variant of the chunk.
    private let contents: [PushContent]
    private let prover: ReceiptProver?
    let trace: TraceContext?

    private init(
        _ chunk: DispatchChunk, contents: [PushContent], prover: ReceiptProver?, devices: SegmentDevices,
        route: SendingRoute,
        positions: [Int], isShown: Bool, trace: TraceContext?
    ) {
        cap = isShown ? chunk.cap : nil
        self.chunk = chunk
        self.contents = contents
        self.prover = prover
        self.devices = devices
        self.route = route
        self.positions = positions
        self.trace = trace
    }

    static func split(
        _ chunk: DispatchChunk, trace: TraceContext?, devicesMaximum: (PushProtocol) -> Int
    ) -> [DispatchBatch] {
        let contents = chunk.variants.map { PushContent($0) }
        let prover = chunk.receiptKey.map { ReceiptProver($0) }
        return chunk.segments.flatMap { devices in
            split(
                devices, of: chunk, contents: contents, prover: prover, trace: trace, devicesMaximum: devicesMaximum)
        }
    }

    private static func split(
        _ devices: SegmentDevices, of chunk: DispatchChunk, contents: [PushContent], prover: ReceiptProver?,
        trace: TraceContext?, devicesMaximum: (PushProtocol) -> Int
    ) -> [DispatchBatch] {
        routes(devices, of: chunk).sorted { $0.value[0] < $1.value[0] }.flatMap { key, positions in
            let (route, size) = (key.route, devicesMaximum(key.route.kind))
            return stride(from: 0, to: positions.count, by: size).map { start in
                let part = positions[start..<min(start + size, positions.count)]
                return DispatchBatch(
                    chunk, contents: contents, prover: prover, devices: devices, route: route,
                    positions: Array(part), isShown: key.isShown, trace: trace)
            }
        }
    }

    /// Computed once per variant and environment, since hashing it for each device would cost more than the rest.
    private static func routes(_ devices: SegmentDevices, of chunk: DispatchChunk) -> [BatchKey: [Int]] {
        let kinds = Dictionary(grouping: 0..<devices.count) { position in
            Int(devices.variants[position]) << 1 | (devices.isSandbox[position] ? 1 : 0)
        }
        var routes: [BatchKey: [Int]] = [:]
        for (kind, positions) in kinds {
            let variant = chunk.variants[kind >> 1]
            let route = SendingRoute(app: chunk.app, variant, isSandbox: kind & 1 == 1)
            // Devices without a cap share batches, whatever they are shown.
            let isShown = chunk.cap == nil || !variant.showsNothing
            routes[BatchKey(route: route, isShown: isShown), default: []] += positions
        }
        return routes.mapValues { $0.sorted() }
    }

    var segment: SegmentID { SegmentID(chunk.app, number: devices.segment) }

    func content(at position: Int) -> PushContent {
        contents[Int(devices.variants[position])]
    }

    /// The same for every attempt, so that a repeat can be recognised.
    func push(at position: Int, badge: UInt32) -> Push {
        let device = devices.id(at: position)
        let own = UInt64(device.index.rawValue) << 32 | UInt64(device.tag)
        let content = content(at: position)
        // The chunk's time of acceptance is the beginning of the task's life.
        let day = ReceiptProof.day(of: Timestamp(milliseconds: chunk.accepted))
        return Push(
            id: TaskID(high: chunk.task.high, low: chunk.task.low ^ own), token: devices.tokens[position],
            isSandbox: devices.isSandbox[position], content: content, badge: badge,
            proof: content.hasProof ? prover?.proof(of: device, on: Platform(route.kind), day: day) : nil,
            webPushKeys: devices.webPushKeys(at: position), activity: chunk.activity)
    }

    struct Settled {
        let value: Settlement
        let retries: [OutgoingMessage]
        let results: [DeviceResult]
    }

    /// Devices with the same decision are settled together. Waiting ones are grouped by the second in which they are
    /// due, so that not every device becomes a retry of its own.
    func settlement(
        _ decisions: [(position: Int, decision: DeliveryDecision)], of claim: ClaimID, attempted: Timestamp
    ) -> Settled {
        var settled: [Settlement.Group] = []
        var retries: [OutgoingMessage] = []
        var results: [DeviceResult] = []
        for (decision, positions) in DispatchBatch.grouped(decisions) {
            let offsets = positions.map { devices.offsets[$0] }.sorted()
            switch decision {
            case .ended(let state, let status, let reason, let isCounted):
                settled.append(
                    Settlement.Group(
                        offsets: offsets, state: state, attempt: chunk.attempt, status: status, reason: reason,
                        provider: route.kind))
                results += positions.map { position in
                    DeviceResult(
                        device: devices.id(at: position), provider: route.kind, state: state,
                        attempt: chunk.attempt, status: status, reason: reason, isCounted: isCounted,
                        attempted: attempted)
                }
            case .waiting(let attempt, let due, let status, let reason):
                settled.append(
                    Settlement.Group(
                        offsets: offsets, state: .waiting, attempt: attempt, status: status, reason: reason, due: due))
                retries.append(
                    retryOrder(positions.sorted(), attempt: attempt, due: due, timing: chunk.timing.claimed))
            }
        }
        let value = Settlement(claim: claim, groups: settled, attempted: attempted)
        return Settled(value: value, retries: retries, results: results)
    }

    /// Most devices have the same decision as the one before them, which saves a lookup.
    private static func grouped(_ decisions: [(position: Int, decision: DeliveryDecision)]) -> [DeliveryDecision: [Int]]
    {
        var groups: [DeliveryDecision: [Int]] = [:]
        var rest = decisions[...]
        while let decision = rest.first?.decision.roundedToSecond {
            let run = rest.prefix { $0.decision.roundedToSecond == decision }
            groups[decision, default: []] += run.map(\.position)
            rest = rest.dropFirst(run.count)
        }
        return groups
    }

    /// Devices claimed by others, each due when the lease expires. Attempt and timing are the chunk's: nothing was
    /// tried.
    func heldOrders(_ held: [(position: Int, rest: Duration)], at now: Timestamp) -> [OutgoingMessage] {
        let seconds = Dictionary(grouping: held) { ((now + $0.rest).milliseconds + 999) / 1_000 }
        return seconds.sorted { $0.key < $1.key }.map { second, held in
            retryOrder(
                held.map(\.position).sorted(), attempt: chunk.attempt, due: Timestamp(milliseconds: second * 1_000),
                timing: chunk.timing)
        }
    }

    /// The orders that release devices which wait for their cap. Their life begins when they are due.
    func capOrders(_ waits: [(due: Timestamp, positions: [Int])]) -> [OutgoingMessage] {
        waits.map { due, positions in
            retryOrder(
                positions.sorted(), attempt: 0, due: due,
                timing: DeviceTiming(deferral: .cap, begins: due.milliseconds))
        }
    }

    private func retryOrder(
        _ positions: [Int], attempt: UInt8, due: Timestamp, timing: DeviceTiming
    ) -> OutgoingMessage {
        let order = RetryOrder(
            task: chunk.task, segment: segment, provider: route.kind, attempt: attempt, due: due.milliseconds,
            timing: timing,
            devices: positions.map { position in
                let variant = content(at: position).variant
                return RetryOrder.Device(
                    offset: devices.offsets[position], tag: devices.tags[position], isSilent: variant.isSilent,
                    content: variant.content)
            })
        return Topics.retries.message(
            order, key: Topics.key(chunk.task, segment: devices.segment), lane: chunk.lane, trace: trace)
    }
}

/// What the devices of a batch have in common.
private struct BatchKey: Hashable {
    let route: SendingRoute
    let isShown: Bool
}

extension DeliveryDecision {
    fileprivate var roundedToSecond: DeliveryDecision {
        guard case .waiting(let attempt, let due, let status, let reason) = self else { return self }
        let seconds = (due.milliseconds + 999) / 1_000
        return .waiting(
            attempt: attempt, due: Timestamp(milliseconds: seconds * 1_000), status: status, reason: reason)
    }
}
