import PushModel
import Store

/// The selected devices of one segment, with the records of those that still exist.
struct SelectedDevices: Sendable {
    let segment: SegmentNumber
    let members: SegmentSet
    let silent: SegmentSet
    /// Of the members that do not get the content of the task.
    var contents: [UInt16: ContentNumber] = [:]
    /// Records of the members, and perhaps of others.
    let records: PackedDevices

    /// Members that were removed since the job decided on them.
    var removed: SegmentSet { members.subtracting(present) }
    /// The ids of the records.
    var registered: [DeviceID] {
        records.offsets.enumerated().compactMap { position, offset in
            Device.PackedHead(records.record(at: position)).map {
                DeviceID(index: DeviceIndex(segment: segment, offset: offset), tag: $0.tag)
            }
        }
    }
    var present: SegmentSet { members.intersection(SegmentSet(records.offsets)) }
}
