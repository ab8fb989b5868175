package import PushModel
package import Store
package import Topics

extension PackedDevices {
    /// Of those of the devices that the ledger ended while nobody was sending to them: whoever tells of them, a repeat
    /// says the same. One that a sender ended has a detail, from which it is told. A record that cannot be read names nobody.
    package func untriedResults(
        of ended: SegmentSet, as state: DeliveryState, in segment: SegmentNumber,
        details: [UInt16: OutcomeDetail] = [:]
    ) -> [DeviceResult] {
        offsets.enumerated().compactMap { position, offset in
            guard ended.contains(offset), let head = Device.PackedHead(record(at: position)) else { return nil }
            let index = DeviceIndex(segment: segment, offset: offset)
            let detail = details[offset]
            return DeviceResult(
                device: DeviceID(index: index, tag: head.tag), provider: head.kind, state: state,
                attempt: detail?.attempt ?? 0, status: detail?.status ?? 0,
                reason: detail?.reason ?? state.untriedReason, attempted: detail?.time)
        }
    }
}

extension DeliveryState {
    fileprivate var untriedReason: String {
        switch self {
        case .cancelled: "cancelled"
        // Of a device that a sender held when it died nobody knows.
        case .unknown: "lost"
        default: "deadline"
        }
    }
}
