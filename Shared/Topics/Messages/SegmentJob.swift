package import PushModel

/// One part of resolving a bulk task, shared by all resolvers. A job says which jobs follow in its chain: the resolver
/// that has done it sends the next one, so that a task has only a bounded number of jobs on the bus, and tasks alternate.
package struct SegmentJob: TopicMessage, Hashable {
    private static let format: UInt8 = 1
    /// A part of a list that others follow.
    private static let chainedFormat: UInt8 = 2
    /// The range of a variable integer.
    private static let numbersLimit = 1 << 35
    /// More parts than any list has.
    private static let partsLimit = 1 << 20

    package enum Work: Hashable, Sendable {
        /// This job's segment, then those of the following jobs, each `stride` numbers later.
        case segments([SegmentNumber], stride: Int)
        /// A part of the task's list, then those of the following jobs, if any.
        case part(Int, chain: PartChain? = nil)
    }

    /// The parts that follow one, each `stride` numbers later.
    package struct PartChain: Hashable, Sendable {
        package let stride: Int
        package let count: Int

        /// Nil for a count of zero.
        package init?(stride: Int, count: Int) {
            guard count > 0 else { return nil }
            self.stride = stride
            self.count = count
        }
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
        switch work {
        case .segments(let segments, let stride):
            guard segments.count > 1 else { return nil }
            return with(job: job + stride, work: .segments(Array(segments.dropFirst()), stride: stride))
        case .part(let number, let chain):
            guard let chain else { return nil }
            let rest = PartChain(stride: chain.stride, count: chain.count - 1)
            return with(job: job + chain.stride, work: .part(number + chain.stride, chain: rest))
        }
    }

    /// The same job without the following ones.
    package var alone: SegmentJob {
        switch work {
        case .segments(let segments, let stride):
            with(job: job, work: .segments(Array(segments.prefix(1)), stride: stride))
        case .part(let number, _): with(job: job, work: .part(number))
        }
    }

    private func with(job: Int, work: Work) -> SegmentJob {
        SegmentJob(task: task, app: app, lane: lane, job: job, work: work)
    }

    /// The first that can hold the job, so that earlier versions read what they can handle.
    private var format: UInt8 {
        if case .part(_, .some) = work { SegmentJob.chainedFormat } else { SegmentJob.format }
    }

    package func encoded() -> [UInt8] {
        var bytes: [UInt8] = []
        TaskHead(task, app: app).write(format: format, to: &bytes)
        bytes.append(lane == .fast ? 1 : 0)
        bytes.append(variableInteger: job)
        switch work {
        case .segments(let segments, let stride):
            bytes.append(variableInteger: stride)
            bytes.append(variableInteger: segments.count)
            for segment in segments { bytes.append(variableInteger: Int(segment.rawValue)) }
        case .part(let number, nil):
            bytes.append(variableInteger: 0)
            bytes.append(variableInteger: number)
        case .part(let number, let chain?):
            bytes.append(variableInteger: chain.stride)
            bytes.append(variableInteger: number)
            bytes.append(variableInteger: chain.count)
        }
        return bytes
    }

    package init(decoding bytes: [UInt8]) throws {
        self = try ByteReader.message(bytes, name: "segment job") { SegmentJob(from: &$0) }
    }

    private init?(from reader: inout ByteReader) {
        guard let format = reader.format(in: SegmentJob.format...SegmentJob.chainedFormat),
            let head = TaskHead(format: format, from: &reader), let lane = reader.byte(),
            let job = reader.variableInteger(), let stride = reader.variableInteger(),
            let number = reader.variableInteger()
        else { return nil }
        let work: Work?
        if format == SegmentJob.chainedFormat {
            work = SegmentJob.part(number, stride: stride, of: job, from: &reader)
        } else if stride == 0 {
            work = .part(number)
        } else {
            work = SegmentJob.segments(number, stride: stride, of: job, from: &reader)
        }
        guard let work else { return nil }
        self.init(task: head.task, app: head.app, lane: lane == 0 ? .bulk : .fast, job: job, work: work)
    }

    // Each following job is sent too, so their numbers must be encodable.
    private static func part(_ number: Int, stride: Int, of job: Int, from reader: inout ByteReader) -> Work? {
        guard let count = reader.variableInteger(), stride > 0, count < partsLimit,
            number + stride * count < partsLimit, job + stride * count < numbersLimit,
            let chain = PartChain(stride: stride, count: count)
        else { return nil }
        return .part(number, chain: chain)
    }

    private static func segments(_ count: Int, stride: Int, of job: Int, from reader: inout ByteReader) -> Work? {
        guard (1...Int(SegmentNumber.maximum) + 1).contains(count) else { return nil }
        var segments: [SegmentNumber] = []
        for _ in 0..<count {
            guard let raw = reader.variableInteger(), raw <= Int(SegmentNumber.maximum) else { return nil }
            segments.append(SegmentNumber(rawValue: UInt32(raw)))
        }
        guard job + stride * (count - 1) < numbersLimit else { return nil }
        return .segments(segments, stride: stride)
    }
}
