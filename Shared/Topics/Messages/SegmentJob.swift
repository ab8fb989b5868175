package import PushModel

/// One part of resolving a bulk task, shared by all resolvers. A segment job carries the jobs that follow in its chain:
/// the resolver that has done it sends the next one, so that a task has only a bounded number of jobs on the bus, and
/// tasks alternate.
package struct SegmentJob: TopicMessage, Hashable {
    private static let format: UInt8 = 1
    /// The range of a variable integer.
    private static let numbersLimit = 1 << 35

    package enum Work: Hashable, Sendable {
        /// This job's segment, then those of the following jobs, each `stride` numbers later.
        case segments([SegmentNumber], stride: Int)
        /// A part of the task's list.
        case part(Int)
    }

    package let task: TaskID
    package let app: AppID
    package let lane: Lane
    /// Its number in the task's plan.
    package let job: Int
    package let work: Work

    package init(task: TaskID, app: AppID, lane: Lane, job: Int, work: Work) {
        self.task = task
        self.app = app
        self.lane = lane
        self.job = job
        self.work = work
    }

    /// The job to send once this one is done.
    package var next: SegmentJob? {
        guard case .segments(let segments, let stride) = work, segments.count > 1 else { return nil }
        return SegmentJob(
            task: task, app: app, lane: lane, job: job + stride,
            work: .segments(Array(segments.dropFirst()), stride: stride))
    }

    /// The same job without the following ones.
    package var alone: SegmentJob {
        guard case .segments(let segments, let stride) = work else { return self }
        return SegmentJob(
            task: task, app: app, lane: lane, job: job, work: .segments(Array(segments.prefix(1)), stride: stride))
    }

    package func encoded() -> [UInt8] {
        var bytes: [UInt8] = []
        TaskHead(task, app: app).write(format: SegmentJob.format, to: &bytes)
        bytes.append(lane == .fast ? 1 : 0)
        bytes.append(variableInteger: job)
        switch work {
        case .segments(let segments, let stride):
            bytes.append(variableInteger: stride)
            bytes.append(variableInteger: segments.count)
            for segment in segments { bytes.append(variableInteger: Int(segment.rawValue)) }
        case .part(let number):
            bytes.append(variableInteger: 0)
            bytes.append(variableInteger: number)
        }
        return bytes
    }

    package init(decoding bytes: [UInt8]) throws {
        self = try ByteReader.message(bytes, name: "segment job") { SegmentJob(from: &$0) }
    }

    private init?(from reader: inout ByteReader) {
        guard let head = TaskHead(format: SegmentJob.format, from: &reader), let lane = reader.byte(),
            let job = reader.variableInteger(), let stride = reader.variableInteger(),
            let number = reader.variableInteger()
        else { return nil }
        let work: Work
        if stride == 0 {
            work = .part(number)
        } else {
            guard (1...Int(SegmentNumber.maximum) + 1).contains(number) else { return nil }
            var segments: [SegmentNumber] = []
            for _ in 0..<number {
                guard let raw = reader.variableInteger(), raw <= Int(SegmentNumber.maximum) else { return nil }
                segments.append(SegmentNumber(rawValue: UInt32(raw)))
            }
            // Each following job is sent too, so their numbers must be encodable.
            guard job + stride * (number - 1) < SegmentJob.numbersLimit else { return nil }
            work = .segments(segments, stride: stride)
        }
        self.init(task: head.task, app: head.app, lane: lane == 0 ? .bulk : .fast, job: job, work: work)
    }
}
