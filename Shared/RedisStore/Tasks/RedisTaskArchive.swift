package import PushModel
import RedisClient
package import ServiceKit
package import Store

/// The archive in Redis: strings that expire, and a sorted set for each app's list.
package struct RedisTaskArchive: TaskArchive {
    private static let tasksBetweenCuts: UInt64 = 64

    private let redis: StoreConnection
    private let time: any TimeSource

    package init(_ redis: StoreConnection, time: any TimeSource) {
        self.redis = redis
        self.time = time
    }

    package func keep(_ content: [UInt8], of task: TaskID, entry: TaskEntry) async throws(StoreError) {
        try await keep([ArchivedTask(task, content: content, entry: entry)])
    }

    /// One entry on the list of each app for all of its tasks, after their contents.
    package func keep(_ tasks: [ArchivedTask]) async throws(StoreError) {
        var commands = tasks.map { command(keeping: $0.content, of: $0.id, entry: $0.entry) }
        for listed in tasks.groups(by: { $0.entry.app }) {
            let list = TaskArchiveKeys.list(listed[0].entry.app)
            commands.append(
                RedisCommand(["ZADD", list, "NX"] + listed.flatMap { RedisTaskArchive.place($0.id, entry: $0.entry) }))
            // Ids are random: the list is trimmed about once in this many tasks and exceeds its limit by about as many.
            if listed.contains(where: { $0.id.low % RedisTaskArchive.tasksBetweenCuts == 0 }) {
                let oldest = RedisArgument(-TaskArchiveBounds.listedMaximum - 1)
                commands.append(RedisCommand("ZREMRANGEBYRANK", list, "0", oldest))
            }
        }
        _ = try await redis.send(commands)
    }

    package func schedule(_ content: [UInt8], of task: TaskID, entry: TaskEntry) async throws(StoreError) {
        let list = TaskArchiveKeys.scheduled(entry.app)
        _ = try await redis.send([
            command(keeping: content, of: task, entry: entry),
            RedisCommand(["ZADD", list, "NX"] + RedisTaskArchive.place(task, entry: entry)),
        ])
    }

    package func reschedule(_ content: [UInt8], of task: TaskID, entry: TaskEntry) async throws(StoreError) {
        let list = TaskArchiveKeys.scheduled(entry.app)
        _ = try await redis.send([
            RedisCommand("SET", TaskArchiveKeys.content(task), RedisArgument(content), "XX", "KEEPTTL"),
            RedisCommand(["ZADD", list, "XX"] + RedisTaskArchive.place(task, entry: entry)),
        ])
    }

    package func unschedule(_ tasks: [TaskID], of app: AppID) async throws(StoreError) {
        guard !tasks.isEmpty else { return }
        _ = try await redis.send(
            RedisCommand(["ZREM", TaskArchiveKeys.scheduled(app)] + tasks.map { RedisArgument($0.bytes) }))
    }

    package func scheduled(
        of app: AppID, after: TaskEntry.ID?, limit: Int
    ) async throws(StoreError) -> [TaskEntry.ID] {
        try await read(TaskArchiveKeys.scheduled(app), newestFirst: false, past: after, limit: limit)
    }

    private func command(keeping content: [UInt8], of task: TaskID, entry: TaskEntry) -> RedisCommand {
        let life = max(entry.deadline - time.now, .zero) + TaskArchiveBounds.retention
        return RedisCommand(
            "SET", TaskArchiveKeys.content(task), RedisArgument(content), "NX", "PX",
            RedisArgument(life.wholeMilliseconds))
    }

    /// Score and member of a list of tasks.
    private static func place(_ task: TaskID, entry: TaskEntry) -> [RedisArgument] {
        [RedisArgument(entry.begins.milliseconds), RedisArgument(task.bytes)]
    }

    package func content(of task: TaskID) async throws(StoreError) -> [UInt8]? {
        try await redis.send(RedisCommand("GET", TaskArchiveKeys(task).content)).bytes
    }

    package func keep(
        _ part: [UInt8], number: Int, of task: TaskID, for life: Duration
    ) async throws(StoreError) {
        guard life > .zero else { return }
        let milliseconds = RedisArgument(max(1, life.wholeMilliseconds))
        _ = try await redis.send(
            RedisCommand("SET", TaskArchiveKeys(task).part(number), RedisArgument(part), "PX", milliseconds))
    }

    package func keepContents(
        _ part: [UInt8], number: Int, of task: TaskID, for life: Duration
    ) async throws(StoreError) {
        guard life > .zero else { return }
        let parts = TaskArchiveKeys(task).parts
        let milliseconds = RedisArgument(max(1, life.wholeMilliseconds))
        _ = try await redis.send([
            RedisCommand("HSET", parts, RedisArgument(number), RedisArgument(part)),
            // A key without an expiry is not extended.
            RedisCommand("PEXPIRE", parts, milliseconds, "NX"), RedisCommand("PEXPIRE", parts, milliseconds, "GT"),
        ])
    }

    package func extendContents(of task: TaskID, for life: Duration) async throws(StoreError) {
        guard life > .zero else { return }
        let milliseconds = RedisArgument(max(1, life.wholeMilliseconds))
        _ = try await redis.send(RedisCommand("PEXPIRE", TaskArchiveKeys(task).parts, milliseconds, "GT"))
    }

    package func part(_ number: Int, of task: TaskID) async throws(StoreError) -> [UInt8]? {
        let keys = TaskArchiveKeys(task)
        if let part = try await redis.send(RedisCommand("GET", keys.part(number))).bytes { return part }
        return try await redis.send(RedisCommand("HGET", keys.parts, RedisArgument(number))).bytes
    }

    package func decide(
        segments: [SegmentNumber], of task: TaskID
    ) async throws(StoreError) -> [SegmentNumber] {
        var bytes: [UInt8] = []
        for segment in segments { bytes.append(variableInteger: Int(segment.rawValue)) }
        let decided = try await settle(bytes, as: TaskArchiveKeys(task).segments)
        var reader = ByteReader(decided)
        var numbers: [SegmentNumber] = []
        while !reader.isAtEnd {
            guard let raw = reader.variableInteger(), raw <= Int(SegmentNumber.maximum) else {
                throw StoreError(.corrupt, message: "invalid data in Redis: cannot decode the segments of task \(task)")
            }
            numbers.append(SegmentNumber(rawValue: UInt32(raw)))
        }
        return numbers
    }

    package func decide(
        devices: [UInt8], job: Int, of task: TaskID
    ) async throws(StoreError) -> [UInt8] {
        let life = RedisArgument(TaskArchiveBounds.devicesRetention.wholeMilliseconds)
        let before = try await redis.send(
            RedisCommand(
                "SET", TaskArchiveKeys(task).devices(job), RedisArgument(devices), "NX", "GET", "PX", life))
        return before.bytes ?? devices
    }

    package func devices(job: Int, of task: TaskID) async throws(StoreError) -> [UInt8]? {
        try await redis.send(RedisCommand("GET", TaskArchiveKeys(task).devices(job))).bytes
    }

    package func dropDevices(job: Int, of task: TaskID) async throws(StoreError) {
        _ = try await redis.send(RedisCommand("DEL", TaskArchiveKeys(task).devices(job)))
    }

    package func giveUp(_ task: TaskID, reason: String) async throws(StoreError) {
        let life = RedisArgument(RedisTaskArchive.life.wholeMilliseconds)
        _ = try await redis.send(
            RedisCommand("SET", TaskArchiveKeys(task).reason, RedisArgument(reason), "PX", life))
    }

    package func reasonGivenUp(_ task: TaskID) async throws(StoreError) -> String? {
        try await redis.send(RedisCommand("GET", TaskArchiveKeys(task).reason)).string
    }

    package func fix(report: [UInt8], of task: TaskID) async throws(StoreError) -> [UInt8] {
        try await settle(report, as: TaskArchiveKeys(task).report)
    }

    package func report(of task: TaskID) async throws(StoreError) -> [UInt8]? {
        try await redis.send(RedisCommand("GET", TaskArchiveKeys(task).report)).bytes
    }

    package func advance(reportOf task: TaskID, to stage: ReportStage) async throws(StoreError) {
        _ = try await redis.run(
            RedisTaskArchive.raise, keys: [TaskArchiveKeys(task).stage],
            arguments: [RedisArgument(stage.rawValue), RedisArgument(RedisTaskArchive.life.wholeMilliseconds)])
    }

    package func reportStage(of task: TaskID) async throws(StoreError) -> ReportStage {
        let answer = try await redis.send(RedisCommand("GET", TaskArchiveKeys(task).stage))
        let number = answer.integer.flatMap { Int(exactly: $0) }
        return number.flatMap { ReportStage(rawValue: $0) } ?? .fixed
    }

    package func isReported(_ task: TaskID) async throws(StoreError) -> Bool {
        let keys = TaskArchiveKeys(task)
        return try await redis.send(RedisCommand("EXISTS", keys.report, keys.stage)) != .integer(0)
    }

    package func withdraw(_ task: TaskID) async throws(StoreError) {
        _ = try await redis.send(RedisCommand("DEL", TaskArchiveKeys(task).content))
    }

    /// Most tasks have a content and a report alone.
    package func conclude(
        _ task: TaskID, after: Duration, provenFor proof: Duration
    ) async throws(StoreError) {
        precondition(after > .zero, "what is forgotten at once has no stage")
        let keys = TaskArchiveKeys(task)
        let stage = RedisArgument(ReportStage.settled.rawValue)
        let life = RedisArgument(RedisTaskArchive.proofLife(of: task, after: after, proof: proof).wholeMilliseconds)
        let soon = RedisArgument(after.wholeMilliseconds)
        do throws(StoreError) {
            let replies = try await redis.send([
                RedisCommand("SET", keys.stage, stage, "PX", life), RedisCommand("PEXPIRE", keys.content, soon),
                RedisCommand("PEXPIRE", keys.report, soon),
                RedisCommand("EXISTS", keys.segments, keys.reason, keys.parts),
            ])
            if replies.last == .integer(0) { return }
        } catch {
            guard error.code == .full else { throw error }
            try await advance(reportOf: task, to: .settled)
        }
        try await forget(task, after: after, provenFor: proof)
    }

    private static func proofLife(of task: TaskID, after: Duration, proof: Duration) -> Duration {
        max(after, proof, TaskArchiveBounds.proofRetention(of: task))
    }

    package func forget(
        _ task: TaskID, after: Duration, provenFor proof: Duration
    ) async throws(StoreError) {
        let keys = TaskArchiveKeys(task)
        let proof = after > .zero ? RedisTaskArchive.proofLife(of: task, after: after, proof: proof) : after
        var lives = keys.contents.map { ($0, after) } + [(keys.stage, proof)]
        if after > .zero { lives.append((keys.parts, min(after, TaskArchiveBounds.contentsRetention))) }
        _ = try await redis.send(
            lives.map { key, life in RedisCommand("PEXPIRE", key, RedisArgument(max(life.wholeMilliseconds, 0))) })
    }

    package func tasks(
        of app: AppID, before: TaskEntry.ID?, limit: Int
    ) async throws(StoreError) -> [TaskEntry.ID] {
        try await read(TaskArchiveKeys.list(app), newestFirst: true, past: before, limit: limit)
    }

    /// Tasks of the same millisecond are ordered by id; those up to the last one of the previous page are skipped.
    private func read(
        _ list: RedisArgument, newestFirst: Bool, past last: TaskEntry.ID?, limit: Int
    ) async throws(StoreError) -> [TaskEntry.ID] {
        var found: [TaskEntry.ID] = []
        let first = last.map { RedisArgument($0.begins.milliseconds) } ?? (newestFirst ? "+inf" : "-inf")
        let range: [RedisArgument] = newestFirst ? [first, "-inf", "BYSCORE", "REV"] : [first, "+inf", "BYSCORE"]
        var start = 0
        let step = max(limit, 1) + 1
        while found.count < limit {
            let answer = try await redis.send(
                RedisCommand(
                    ["ZRANGE", list] + range + ["LIMIT", RedisArgument(start), RedisArgument(step), "WITHSCORES"]))
            let entries = RedisTaskArchive.entries(answer)
            found += entries.filter { entry in
                last.map { newestFirst ? entry.isBefore($0) : $0.isBefore(entry) } ?? true
            }
            if entries.count < step { break }
            start += step
        }
        return Array(found.prefix(limit))
    }

    private static func entries(_ answer: RedisValue) -> [TaskEntry.ID] {
        let parts = answer.array ?? []
        return stride(from: 0, to: parts.count - 1, by: 2).compactMap { place in
            guard let task = parts[place].bytes.flatMap({ TaskID(bytes: $0) }),
                let begins = parts[place + 1].string.flatMap({ Double($0) })
            else { return nil }
            return TaskEntry.ID(begins: Timestamp(milliseconds: Int64(begins)), task: task)
        }
    }

    /// Sets the key if it is absent; returns the stored value. Works at the memory limit, so that tasks can complete.
    private func settle(_ value: [UInt8], as key: RedisArgument) async throws(StoreError) -> [UInt8] {
        let life = RedisArgument(RedisTaskArchive.life.wholeMilliseconds)
        do throws(StoreError) {
            let command = RedisCommand("SET", key, RedisArgument(value), "NX", "GET", "PX", life)
            return try await redis.send(command).bytes ?? value
        } catch {
            guard error.code == .full else { throw error }
        }
        let answer = try await redis.run(
            RedisTaskArchive.settle, keys: [key], arguments: [RedisArgument(value), life])
        guard let bytes = answer.bytes else {
            throw StoreError(.corrupt, message: "the value just written is missing in Redis")
        }
        return bytes
    }

    /// Retention of a task's data until it is forgotten: longer than any task is open.
    private static let life = TaskArchiveBounds.retention + .seconds(28 * 86_400)

    static let raise = RedisScript(PackageResources.raise_stage_lua)

    static let settle = RedisScript(PackageResources.keep_first_lua)
}
