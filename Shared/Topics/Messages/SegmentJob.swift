package import PushModel

/// One piece of a bulk task's resolving, shared by all resolvers. A job over a segment carries those that come after it
/// in its chain: whoever has done it sends the next one, so that a task has only so many jobs on the bus at once, and
/// tasks take turns.
package struct SegmentJob: TopicMessage, Hashable {
    private static let format: UInt8 = 1
    /// What a variable integer holds.
    private static let numbersLimit = 1 << 35

    package enum Work: Hashable, Sendable {
        /// This job's segment, then those of the jobs that follow it, each `stride` numbers on.
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

    /// The job to be sent once this one is done.
    package var next: SegmentJob? {
        guard case .segments(let segments, let stride) = work, segments.count > 1 else { return nil }
        return SegmentJob(
            task: task, app: app, lane: lane, job: job + stride,
            work: .segments(Array(segments.dropFirst()), stride: stride))
    }

    /// The same job without those that follow it.
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
            // Each of the jobs that follow is sent in its turn, so that their numbers must be such as can be written.
            guard job + stride * (number - 1) < SegmentJob.numbersLimit else { return nil }
            work = .segments(segments, stride: stride)
        }
        self.init(task: head.task, app: head.app, lane: lane == 0 ? .bulk : .fast, job: job, work: work)
    }
}
