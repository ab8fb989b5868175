package import PushModel

/// Devices of one task that are to be rendered, with what the registry knew of them when they were targeted or taken up
/// again. Devices stand as columns, one array a field, since a broadcast moves millions of them.
package struct AudienceChunk: TopicMessage, Hashable {
    package static let devicesMaximum = 500
    private static let format: UInt8 = 1

    package let task: TaskID
    package let app: AppID
    package let lane: Lane
    /// Zero for the first.
    package let attempt: UInt8
    /// Several where audiences are sparse; each segment once.
    package let segments: [AudienceDevices]

    package init(task: TaskID, app: AppID, lane: Lane, attempt: UInt8, segments: [AudienceDevices]) {
        self.task = task
        self.app = app
        self.lane = lane
        self.attempt = attempt
        self.segments = segments
    }

    package var deviceCount: Int { segments.reduce(0) { $0 + $1.count } }

    package func encoded() -> [UInt8] {
        var bytes: [UInt8] = []
        TaskHead(task, app).write(format: AudienceChunk.format, to: &bytes)
        bytes.append(lane == .fast ? 1 : 0)
        bytes.append(attempt)
        bytes.append(variableInteger: segments.count)
        for segment in segments { segment.write(to: &bytes) }
        return bytes
    }

    package init(decoding bytes: [UInt8]) throws {
        self = try ByteReader.message(bytes, "audience chunk") { AudienceChunk(from: &$0) }
    }

    private init?(from reader: inout ByteReader) {
        guard let head = TaskHead(format: AudienceChunk.format, from: &reader), let lane = reader.byte(),
            let attempt = reader.byte(),
            let count = reader.variableInteger(), count <= AudienceChunk.devicesMaximum
        else { return nil }
        let segments = (0..<count).compactMap { _ in AudienceDevices(from: &reader) }
        guard segments.count == count, Set(segments.map(\.segment)).count == count else { return nil }
        self.init(
            task: head.task, app: head.app, lane: lane == 0 ? .bulk : .fast, attempt: attempt, segments: segments)
        guard deviceCount <= AudienceChunk.devicesMaximum else { return nil }
    }
}
