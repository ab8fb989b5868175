package import PushModel
package import ServiceKit
package import Store
package import Topics

/// Ends devices in the ledger that no sender will ever take, and reports their results. Idempotent: a device that has
/// ended is reported again with the same outcome and id.
package struct DeviceEndings: Sendable {
    /// Far longer than the two steps that it covers.
    private static let claimLease = Duration.seconds(30)

    /// Devices of one task and segment that all end in the same state.
    package struct Order: Sendable {
        package struct Device: Hashable, Sendable {
            package let offset: UInt16
            package let tag: UInt32
            package let provider: PushProtocol

            package init(offset: UInt16, tag: UInt32, provider: PushProtocol) {
                self.offset = offset
                self.tag = tag
                self.provider = provider
            }
        }

        package let task: TaskID
        package let segment: SegmentID
        package let attempt: UInt8
        /// Of the message that brought the devices: decides which of them it may end.
        package let timing: DeviceTiming
        package let state: DeliveryState
        package let reason: String
        /// Without duplicates.
        package let devices: [Device]

        package init(
            task: TaskID, segment: SegmentID, attempt: UInt8, timing: DeviceTiming, state: DeliveryState,
            reason: String, devices: [Device]
        ) {
            self.task = task
            self.segment = segment
            self.attempt = attempt
            self.timing = timing
            self.state = state
            self.reason = reason
            self.devices = devices
        }
    }

    package struct Ending: Sendable {
        /// Results of the devices that have ended, now or before.
        package var results: [DeviceResult] = []
        /// Claimed by a live sender, which ends them, or crashes and leaves them to the next attempt.
        package var held: [UInt16] = []
    }

    private let ledger: any Ledger
    private let log: Log
    private let owner: UInt64
    private let claims = ClaimNumbers()
    private let ended: Counter
    private let unledgered: Counter

    package init(ledger: any Ledger, random: any RandomSource, log: Log, ended: Counter, unledgered: Counter) {
        self.ledger = ledger
        self.log = log
        self.ended = ended
        self.unledgered = unledgered
        owner = random.next()
    }

    package func end(_ order: Order) async throws(StoreError) -> Ending {
        var ending = Ending()
        for part in order.devices.chunks(of: ClaimRequest.devicesMaximum) {
            let claimed = try await claim(Array(part), order: order)
            ending.results += try await settle(claimed, order: order)
            for (device, state) in claimed.ended {
                ending.results.append(try await repeatedResult(device, state: state, order: order))
            }
            ending.held += claimed.held
        }
        return ending
    }

    private struct Claimed {
        let id: ClaimID
        var mine: [Order.Device] = []
        var ended: [(Order.Device, DeliveryState)] = []
        var held: [UInt16] = []
    }

    private func claim(_ devices: [Order.Device], order: Order) async throws(StoreError) -> Claimed {
        let id = ClaimID(owner: owner, number: claims.next())
        let request = ClaimRequest(
            id: id, offsets: devices.map(\.offset), attempt: order.attempt, lease: DeviceEndings.claimLease,
            countsBadge: false, kind: order.timing.claimKind)
        var claimed = Claimed(id: id)
        guard case .answers(let answers) = try await ledger.claim(request, of: order.task, in: order.segment) else {
            alarm("devices not ended: no ledger for their task", count: devices.count, order: order)
            return claimed
        }
        var unmarked = 0
        for (device, answer) in zip(devices, answers) {
            switch answer {
            case .claimed: claimed.mine.append(device)
            case .ended(let state): claimed.ended.append((device, state))
            case .held: claimed.held.append(device.offset)
            // Its later attempt, or its release, has a message of its own.
            case .superseded, .reported: break
            case .capped: preconditionFailure("a claim without a cap was limited")
            case .unmarked: unmarked += 1
            }
        }
        if unmarked > 0 { alarm("devices not ended: not marked in the ledger", count: unmarked, order: order) }
        return claimed
    }

    private func settle(_ claimed: Claimed, order: Order) async throws(StoreError) -> [DeviceResult] {
        guard !claimed.mine.isEmpty else { return [] }
        let groups = Dictionary(grouping: claimed.mine, by: \.provider).map { provider, devices in
            Settlement.Group(
                offsets: devices.map(\.offset), state: order.state, attempt: order.attempt, reason: order.reason,
                provider: provider)
        }
        let settlement = Settlement(claim: claimed.id, groups: groups)
        guard case .settled(let refused) = try await ledger.settle(settlement, of: order.task, in: order.segment)
        else {
            alarm("devices not ended: the ledger of the task disappeared", count: claimed.mine.count, order: order)
            return []
        }
        let mine = claimed.mine.filter { !refused.contains($0.offset) }
        ended.increment(by: mine.count)
        return mine.map {
            result(
                $0, state: order.state, attempt: order.attempt, status: 0, reason: OutcomeReason.cut(order.reason),
                order: order)
        }
    }

    /// Reports a device that ended before with its outcome: its sender may have crashed before reporting it.
    private func repeatedResult(
        _ device: Order.Device, state: DeliveryState, order: Order
    ) async throws(StoreError) -> DeviceResult {
        let detail = try await ledger.detail(of: device.offset, task: order.task, in: order.segment)
        return result(
            device, state: state, attempt: detail?.attempt ?? order.attempt, status: detail?.status ?? 0,
            reason: detail?.reason ?? "", order: order,
            attempted: detail?.time)
    }

    private func result(
        _ device: Order.Device, state: DeliveryState, attempt: UInt8, status: UInt16, reason: String,
        order: Order, attempted: Timestamp? = nil
    ) -> DeviceResult {
        let index = DeviceIndex(segment: order.segment.number, offset: device.offset)
        return DeviceResult(
            device: DeviceID(index: index, tag: device.tag), provider: device.provider, state: state,
            attempt: attempt, status: status, reason: reason, attempted: attempted)
    }

    private func alarm(_ message: String, count: Int, order: Order) {
        unledgered.increment(by: count)
        log.error(
            message, [.task: "\(order.task)", .segment: "\(order.segment)", .count: "\(count)"])
    }
}
