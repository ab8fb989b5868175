package import PushModel
package import Store
package import Topics

extension PackedDevices {
    /// Of those of the devices that the ledger ended while nobody was sending to them: whoever tells of them, a repeat
    /// says the same. A record that cannot be read names nobody.
    package func untriedResults(
        of ended: SegmentSet, as state: DeliveryState, in segment: SegmentNumber
    ) -> [DeviceResult] {
        offsets.enumerated().compactMap { position, offset in
            guard ended.contains(offset), let head = Device.PackedHead(record(at: position)) else { return nil }
            let index = DeviceIndex(segment: segment, offset: offset)
            return DeviceResult(
                device: DeviceID(index: index, tag: head.tag), provider: head.kind, state: state, attempt: 0, status: 0,
                reason: state.untriedReason)
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
