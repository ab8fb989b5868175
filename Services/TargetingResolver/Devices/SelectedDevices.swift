import PushModel
import Store

/// The selected devices of one segment, with the records of those that still exist.
struct SelectedDevices: Sendable {
    let segment: SegmentNumber
    let members: SegmentSet
    let silent: SegmentSet
    /// Records of the members, and perhaps of others.
    let records: PackedDevices

    /// Members that were removed since the job decided on them.
    var removed: SegmentSet { members.subtracting(present) }
    var present: SegmentSet { members.intersection(SegmentSet(records.offsets)) }
}
