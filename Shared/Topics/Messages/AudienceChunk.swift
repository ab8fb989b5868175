package import PushModel

/// Devices of one task to be rendered, with their registry records as of targeting or resumption. Devices are stored as
/// columns, one array for each field, since a broadcast moves millions of them.
package struct AudienceChunk: TopicMessage, Hashable {
    package static let devicesMaximum = 500
    /// Maximum content of a task that travels with its chunks.
    package static let contentBytesMaximum = 4_096
    private static let format: UInt8 = 1
    /// Has a timing.
    private static let timedFormat: UInt8 = 2
    /// The same, and contents of the devices after the segments.
    private static let variedFormat: UInt8 = 3
    private static let bulk: UInt8 = 0
    private static let fast: UInt8 = 1
    private static let fastWithContent: UInt8 = 2

    package let task: TaskID
    package let app: AppID
    package let lane: Lane
    /// Zero for the first attempt.
    package let attempt: UInt8
    package let timing: DeviceTiming
    /// The accepted task, if it is short and takes the fast lane: saves a single push a lookup in the archive. Empty if
    /// the archive has to be read.
    package let content: [UInt8]
    /// Several if audiences are sparse; each segment once.
    package let segments: [AudienceDevices]

    package init(
        task: TaskID, app: AppID, lane: Lane, attempt: UInt8, timing: DeviceTiming = .ofTask, content: [UInt8] = [],
        segments: [AudienceDevices]
    ) {
        precondition(
            content.isEmpty || lane == .fast && content.count <= AudienceChunk.contentBytesMaximum,
            "only short tasks of the fast lane travel with their chunks")
        self.task = task
        self.app = app
        self.lane = lane
        self.attempt = attempt
        self.timing = timing
        self.content = content
        self.segments = segments
    }

    package var deviceCount: Int { segments.reduce(0) { $0 + $1.count } }

    package func encoded() -> [UInt8] {
        var bytes: [UInt8] = []
        let format = format
        TaskHead(task, app: app).write(format: format, to: &bytes)
        if format >= AudienceChunk.timedFormat { timing.write(to: &bytes) }
        let fast = content.isEmpty ? AudienceChunk.fast : AudienceChunk.fastWithContent
        bytes.append(lane == .bulk ? AudienceChunk.bulk : fast)
        bytes.append(attempt)
        if !content.isEmpty {
            bytes.append(variableInteger: content.count)
            bytes.append(contentsOf: content)
        }
        bytes.append(variableInteger: segments.count)
        for segment in segments { segment.write(to: &bytes) }
        if format == AudienceChunk.variedFormat {
            for segment in segments { segment.writeContents(to: &bytes) }
        }
        return bytes
    }

    /// The first that can hold the chunk, so that earlier versions read what they can handle.
    private var format: UInt8 {
        if segments.contains(where: \.hasContents) { return AudienceChunk.variedFormat }
        return timing == .ofTask ? AudienceChunk.format : AudienceChunk.timedFormat
    }

    package init(decoding bytes: [UInt8]) throws {
        self = try ByteReader.message(bytes, name: "audience chunk") { AudienceChunk(from: &$0) }
    }

    private init?(from reader: inout ByteReader) {
        guard let format = reader.format(in: AudienceChunk.format...AudienceChunk.variedFormat),
            let head = TaskHead(format: format, from: &reader),
            let timing = format == AudienceChunk.format ? .ofTask : DeviceTiming(from: &reader),
            let lane = reader.byte(),
            let attempt = reader.byte(), let content = AudienceChunk.content(lane, from: &reader),
            let count = reader.variableInteger(), count <= AudienceChunk.devicesMaximum,
            var segments = reader.elements(count, read: { AudienceDevices(from: &$0) }),
            Set(segments.map(\.segment)).count == count,
            format < AudienceChunk.variedFormat
                || segments.indices.allSatisfy({ segments[$0].readContents(from: &reader) })
        else { return nil }
        self.init(
            task: head.task, app: head.app, lane: lane == AudienceChunk.bulk ? .bulk : .fast, attempt: attempt,
            timing: timing, content: content, segments: segments)
        guard deviceCount <= AudienceChunk.devicesMaximum else { return nil }
    }

    private static func content(_ lane: UInt8, from reader: inout ByteReader) -> [UInt8]? {
        guard lane == fastWithContent else { return [] }
        guard let count = reader.variableInteger(), (1...contentBytesMaximum).contains(count) else { return nil }
        return reader.bytes(count).map { Array($0) }
    }
}
