import PushModel
import Store

extension RegistryReader {
    /// The tokens and channels of a Live Activity in one segment of the app's space of activities, in rising order.
    func endpoints(of activity: ActivityID, in segment: SegmentID) async throws(StoreError) -> [RegisteredDevice] {
        let members = try await select(.topic(activity.topic), in: segment).members
        guard !members.isEmpty else { return [] }
        let records = try await devices(at: members, in: segment)
        return records.offsets.enumerated().compactMap { position, offset in
            records.device(at: position).map {
                RegisteredDevice(
                    id: DeviceID(index: DeviceIndex(segment: segment.number, offset: offset), tag: $0.tag), device: $0,
                    badge: nil)
            }
        }
    }
}
