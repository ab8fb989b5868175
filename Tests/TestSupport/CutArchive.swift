package import PushModel
package import Store

/// An archive that may crash before or after a change.
package struct CutArchive: TaskArchive {
    private let archive: any TaskArchive
    private let scissors: Scissors

    package init(_ archive: any TaskArchive, scissors: Scissors) {
        self.archive = archive
        self.scissors = scissors
    }

    package func keep(_ content: [UInt8], of task: TaskID, entry: TaskEntry) async throws(StoreError) {
        try await archive.keep(content, of: task, entry: entry)
    }

    package func keep(_ tasks: [ArchivedTask]) async throws(StoreError) {
        try await archive.keep(tasks)
    }

    package func content(of task: TaskID) async throws(StoreError) -> [UInt8]? {
        try await archive.content(of: task)
    }

    package func schedule(_ content: [UInt8], of task: TaskID, entry: TaskEntry) async throws(StoreError) {
        try await scissors.around { () async throws(StoreError) in
            try await archive.schedule(content, of: task, entry: entry)
        }
    }

    package func reschedule(_ content: [UInt8], of task: TaskID, entry: TaskEntry) async throws(StoreError) {
        try await scissors.around { () async throws(StoreError) in
            try await archive.reschedule(content, of: task, entry: entry)
        }
    }

    package func unschedule(_ tasks: [TaskID], of app: AppID) async throws(StoreError) {
        try await scissors.around { () async throws(StoreError) in
            try await archive.unschedule(tasks, of: app)
        }
    }

    package func scheduled(of app: AppID, after: TaskEntry.ID?, limit: Int) async throws(StoreError) -> [TaskEntry.ID] {
        try await archive.scheduled(of: app, after: after, limit: limit)
    }

    package func keep(_ part: [UInt8], number: Int, of task: TaskID, for life: Duration) async throws(StoreError) {
        try await archive.keep(part, number: number, of: task, for: life)
    }

    package func keepContents(
        _ part: [UInt8], number: Int, of task: TaskID, for life: Duration
    ) async throws(StoreError) {
        try await archive.keepContents(part, number: number, of: task, for: life)
    }

    package func extendContents(of task: TaskID, for life: Duration) async throws(StoreError) {
        try await archive.extendContents(of: task, for: life)
    }

    package func part(_ number: Int, of task: TaskID) async throws(StoreError) -> [UInt8]? {
        try await archive.part(number, of: task)
    }

    package func decide(segments: [SegmentNumber], of task: TaskID) async throws(StoreError) -> [SegmentNumber] {
        try await archive.decide(segments: segments, of: task)
    }

    package func decide(devices: [UInt8], job: Int, of task: TaskID) async throws(StoreError) -> [UInt8] {
        try await archive.decide(devices: devices, job: job, of: task)
    }

    package func devices(job: Int, of task: TaskID) async throws(StoreError) -> [UInt8]? {
        try await archive.devices(job: job, of: task)
    }

    package func dropDevices(job: Int, of task: TaskID) async throws(StoreError) {
        try await archive.dropDevices(job: job, of: task)
    }

    package func giveUp(_ task: TaskID, reason: String) async throws(StoreError) {
        try await scissors.around { () async throws(StoreError) in
            try await archive.giveUp(task, reason: reason)
        }
    }

    package func reasonGivenUp(_ task: TaskID) async throws(StoreError) -> String? {
        try await archive.reasonGivenUp(task)
    }

    package func fix(report: [UInt8], of task: TaskID) async throws(StoreError) -> [UInt8] {
        try await scissors.around { () async throws(StoreError) in
            try await archive.fix(report: report, of: task)
        }
    }

    package func report(of task: TaskID) async throws(StoreError) -> [UInt8]? {
        try await archive.report(of: task)
    }

    package func advance(reportOf task: TaskID, to stage: ReportStage) async throws(StoreError) {
        try await scissors.around { () async throws(StoreError) in
            try await archive.advance(reportOf: task, to: stage)
        }
    }

    package func reportStage(of task: TaskID) async throws(StoreError) -> ReportStage {
        try await archive.reportStage(of: task)
    }

    package func isReported(_ task: TaskID) async throws(StoreError) -> Bool {
        try await archive.isReported(task)
    }

    package func withdraw(_ task: TaskID) async throws(StoreError) {
        try await archive.withdraw(task)
    }

    package func forget(
        _ task: TaskID, after: Duration, provenFor proof: Duration
    ) async throws(StoreError) {
        try await scissors.around { () async throws(StoreError) in
            try await archive.forget(task, after: after, provenFor: proof)
        }
    }

    package func tasks(of app: AppID, before: TaskEntry.ID?, limit: Int) async throws(StoreError) -> [TaskEntry.ID] {
        try await archive.tasks(of: app, before: before, limit: limit)
    }
}
