import PushModel
import Store

/// Devices of one segment that a job means, with the records of those that are there.
struct SelectedDevices: Sendable {
    let segment: SegmentNumber
    let members: SegmentSet
    let silent: SegmentSet
    /// Of the members, and perhaps of others.
    let records: PackedDevices

    /// Members who were removed since the job decided on them.
    var removed: SegmentSet { members.subtracting(present) }
    var present: SegmentSet { members.intersection(SegmentSet(records.offsets)) }
}
