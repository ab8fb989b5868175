import Bus
import PushModel
import ServiceKit
import Store
import Topics

/// Some devices of a chunk that lie in one segment and go to one kind of provider: what is claimed and settled together.
struct DispatchBatch: Sendable {
    let chunk: DispatchChunk
    let devices: SegmentDevices
    let kind: PushProtocol
    let positions: [Int]
    private let trace: TraceContext?

    private init(
        _ chunk: DispatchChunk, _ devices: SegmentDevices, _ kind: PushProtocol, _ positions: [Int],
        trace: TraceContext?
    ) {
        self.chunk = chunk
        self.devices = devices
        self.kind = kind
        self.positions = positions
        self.trace = trace
    }

    static func split(
        _ devices: SegmentDevices, of chunk: DispatchChunk, trace: TraceContext?,
        devicesMaximum: (PushProtocol) -> Int
    ) -> [DispatchBatch] {
        let kinds = Dictionary(grouping: 0..<devices.count) { chunk.variants[Int(devices.variants[$0])].kind }
        return kinds.sorted { $0.key.rawValue < $1.key.rawValue }.flatMap { kind, positions in
            let size = devicesMaximum(kind)
            return stride(from: 0, to: positions.count, by: size).map { start in
                let part = positions[start..<min(start + size, positions.count)]
                return DispatchBatch(chunk, devices, kind, Array(part), trace: trace)
            }
        }
    }

    var segment: SegmentID { SegmentID(chunk.app, devices.segment) }

    func variant(at position: Int) -> RenderedVariant {
        chunk.variants[Int(devices.variants[position])]
    }

    /// One app's devices in one of a provider's environments.
    func world(at position: Int) -> DeletionWorld {
        DeletionWorld(app: chunk.app, kind: kind, isSandbox: devices.isSandbox[position])
    }

    /// The same for every attempt, so that a repeat can be recognised.
    func push(at position: Int, badge: UInt32) -> Push {
        let device = devices.id(at: position)
        let own = UInt64(device.index.rawValue) << 32 | UInt64(device.tag)
        return Push(
            id: TaskID(high: chunk.task.high, low: chunk.task.low ^ own), token: devices.tokens[position],
            isSandbox: devices.isSandbox[position], variant: variant(at: position), badge: badge)
    }

    struct Settled {
        let value: Settlement
        let retries: [OutgoingMessage]
        let results: [DeviceResult]
    }

    /// Devices that met the same fate are settled together. Waiting ones are grouped by the second in which they are due,
    /// lest every device became a retry of its own.
    func settlement(_ fates: [(position: Int, fate: DeviceFate)], of claim: ClaimID) -> Settled {
        var groups: [DeviceFate: [Int]] = [:]
        for (position, fate) in fates { groups[fate.roundedToSecond, default: []].append(position) }
        var settled: [Settlement.Group] = []
        var retries: [OutgoingMessage] = []
        var results: [DeviceResult] = []
        for (fate, positions) in groups {
            let offsets = positions.map { devices.offsets[$0] }.sorted()
            switch fate {
            case .ended(let state, let status, let reason):
                settled.append(
                    Settlement.Group(
                        offsets: offsets, state: state, attempt: chunk.attempt, status: status, reason: reason))
                results += positions.map { position in
                    DeviceResult(
                        device: devices.id(at: position), provider: kind, state: state,
                        attempt: chunk.attempt, status: status, reason: reason)
                }
            case .waiting(let attempt, let due, let status, let reason):
                settled.append(
                    Settlement.Group(
                        offsets: offsets, state: .waiting, attempt: attempt, status: status, reason: reason))
                retries += retryOrders(positions, attempt, due)
            }
        }
        return Settled(value: Settlement(claim: claim, groups: settled), retries: retries, results: results)
    }

    private func retryOrders(_ positions: [Int], _ attempt: UInt8, _ due: Timestamp) -> [OutgoingMessage] {
        let kinds = Dictionary(grouping: positions.sorted()) { variant(at: $0).kind }
        return kinds.map { kind, positions in
            let order = RetryOrder(
                task: chunk.task, segment: segment, provider: kind, attempt: attempt, due: due.milliseconds,
                devices: positions.map { position in
                    RetryOrder.Device(
                        offset: devices.offsets[position], tag: devices.tags[position],
                        isSilent: variant(at: position).isSilent)
                })
            return Topics.retries.message(
                order, key: Topics.key(chunk.task, devices.segment), lane: chunk.lane, trace: trace)
        }
    }
}

extension DeviceFate {
    fileprivate var roundedToSecond: DeviceFate {
        guard case .waiting(let attempt, let due, let status, let reason) = self else { return self }
        let seconds = (due.milliseconds + 999) / 1_000
        return .waiting(
            attempt: attempt, due: Timestamp(milliseconds: seconds * 1_000), status: status, reason: reason)
    }
}
