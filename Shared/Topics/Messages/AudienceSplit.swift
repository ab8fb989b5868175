package import PushModel

/// Divides devices into chunks within the limits of devices and bytes. The devices of a segment must be appended
/// consecutively.
package struct AudienceSplit: Sendable {
    /// The size without devices and segments: format, task, the longest app, timing, lane, attempt, the content's
    /// length, the number of segments.
    private static let headBytes = 1 + 16 + 1 + AppID.lengthMaximum + 9 + 1 + 1 + 2 + 2
    private static let segmentBytes = 4 + 2
    /// Offset, silence and the length of the record.
    private static let deviceBytes = 2 + 1 + 5
    /// The number of the content, and in each segment their count.
    private static let contentBytes = ContentNumber.bytesCount + 2

    private let task: TaskID
    private let app: AppID
    private let lane: Lane
    private let attempt: UInt8
    private let timing: DeviceTiming
    private let content: [UInt8]
    private var full: [AudienceChunk] = []
    private var segments: [AudienceDevices] = []
    private var count = 0
    private var bytes: Int
    private var hasContents = false

    /// Every chunk has the content, since any may be the first that a renderer sees.
    package init(
        task: TaskID, app: AppID, lane: Lane, attempt: UInt8, timing: DeviceTiming = .ofTask, content: [UInt8] = []
    ) {
        self.task = task
        self.app = app
        self.lane = lane
        self.attempt = attempt
        self.timing = timing
        self.content = content
        bytes = AudienceSplit.headBytes + content.count
    }

    package mutating func append(
        _ offset: UInt16, of segment: SegmentNumber, record: ArraySlice<UInt8>, isSilent: Bool,
        content: ContentNumber = .ofTask
    ) {
        let size = AudienceSplit.segmentBytes + AudienceSplit.deviceBytes + record.count
        if count == AudienceChunk.devicesMaximum
            || bytes + size + contentBytes(content) > Topics.messageBytesMaximum
        {
            closeChunk()
        }
        bytes += size + contentBytes(content)
        hasContents = hasContents || content != .ofTask
        if segments.last?.segment != segment { segments.append(AudienceDevices(segment: segment)) }
        segments[segments.count - 1].append(offset: offset, record: record, isSilent: isSilent, content: content)
        count += 1
    }

    /// What the device's content adds. The first content in a chunk may add one for each device before it.
    private func contentBytes(_ content: ContentNumber) -> Int {
        guard hasContents || content != .ofTask else { return 0 }
        return (hasContents ? 1 : count + 1) * AudienceSplit.contentBytes
    }

    package consuming func chunks() -> [AudienceChunk] {
        closeChunk()
        return full
    }

    private mutating func closeChunk() {
        guard count > 0 else { return }
        full.append(
            AudienceChunk(
                task: task, app: app, lane: lane, attempt: attempt, timing: timing, content: content,
                segments: segments))
        segments = []
        count = 0
        hasContents = false
        bytes = AudienceSplit.headBytes + content.count
    }
}
