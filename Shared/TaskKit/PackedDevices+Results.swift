package import PushModel
package import Store
package import Topics

extension PackedDevices {
    /// Results of devices that the ledger ended while no sender was sending to them; a repeat produces the same. A
    /// device that a sender ended has a detail, which is used instead. A record that cannot be decoded has no result.
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
        // The outcome of a device whose sender crashed is not known.
        case .unknown: "lost"
        default: "deadline"
        }
    }
}
