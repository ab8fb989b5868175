import PushModel
import ServiceKit
import Store

struct SimulatedTaskArchive: TaskArchive {
    let base: any TaskArchive
    let seam: Seam

    func keep(_ content: [UInt8], of task: TaskID, entry: TaskEntry) async throws(StoreError) {
        try await seam.call("archive.keep") { try await base.keep(content, of: task, entry: entry) }
    }

    func keep(_ tasks: [ArchivedTask]) async throws(StoreError) {
        try await seam.call("archive.keep") { try await base.keep(tasks) }
    }

    func content(of task: TaskID) async throws(StoreError) -> [UInt8]? {
        try await seam.call("archive.content") { try await base.content(of: task) }
    }

    func schedule(_ content: [UInt8], of task: TaskID, entry: TaskEntry) async throws(StoreError) {
        try await seam.call("archive.schedule") { try await base.schedule(content, of: task, entry: entry) }
    }

    func reschedule(_ content: [UInt8], of task: TaskID, entry: TaskEntry) async throws(StoreError) {
        try await seam.call("archive.reschedule") { try await base.reschedule(content, of: task, entry: entry) }
    }

    func unschedule(_ tasks: [TaskID], of app: AppID) async throws(StoreError) {
        try await seam.call("archive.unschedule") { try await base.unschedule(tasks, of: app) }
    }

    func scheduled(of app: AppID, after: TaskEntry.ID?, limit: Int) async throws(StoreError) -> [TaskEntry.ID] {
        try await seam.call("archive.scheduled") { try await base.scheduled(of: app, after: after, limit: limit) }
    }

    func keep(_ part: [UInt8], number: Int, of task: TaskID, for life: Duration) async throws(StoreError) {
        try await seam.call("archive.keep") { try await base.keep(part, number: number, of: task, for: life) }
    }

    func keepContents(_ part: [UInt8], number: Int, of task: TaskID, for life: Duration) async throws(StoreError) {
        try await seam.call("archive.keepContents") {
            try await base.keepContents(part, number: number, of: task, for: life)
        }
    }

    func extendContents(of task: TaskID, for life: Duration) async throws(StoreError) {
        try await seam.call("archive.extendContents") { try await base.extendContents(of: task, for: life) }
    }

    func part(_ number: Int, of task: TaskID) async throws(StoreError) -> [UInt8]? {
        let number = seam.world.bug == .partTakenForFirst ? 0 : number
        return try await seam.call("archive.part") { try await base.part(number, of: task) }
    }

    func decide(segments: [SegmentNumber], of task: TaskID) async throws(StoreError) -> [SegmentNumber] {
        try await seam.call("archive.decide") { try await base.decide(segments: segments, of: task) }
    }

    func decide(devices: [UInt8], job: Int, of task: TaskID) async throws(StoreError) -> [UInt8] {
        try await seam.call("archive.decideDevices") { try await base.decide(devices: devices, job: job, of: task) }
    }

    func devices(job: Int, of task: TaskID) async throws(StoreError) -> [UInt8]? {
        try await seam.call("archive.devices") { try await base.devices(job: job, of: task) }
    }

    func dropDevices(job: Int, of task: TaskID) async throws(StoreError) {
        try await seam.call("archive.dropDevices") { try await base.dropDevices(job: job, of: task) }
    }

    func giveUp(_ task: TaskID, reason: String) async throws(StoreError) {
        try await seam.call("archive.giveUp") { try await base.giveUp(task, reason: reason) }
    }

    func reasonGivenUp(_ task: TaskID) async throws(StoreError) -> String? {
        try await seam.call("archive.reasonGivenUp") { try await base.reasonGivenUp(task) }
    }

    func fix(report: [UInt8], of task: TaskID) async throws(StoreError) -> [UInt8] {
        try await seam.call("archive.fix") { try await base.fix(report: report, of: task) }
    }

    func report(of task: TaskID) async throws(StoreError) -> [UInt8]? {
        try await seam.call("archive.report") { try await base.report(of: task) }
    }

    func advance(reportOf task: TaskID, to stage: ReportStage) async throws(StoreError) {
        let stage = seam.world.bug == .reportSettledEarly ? .settled : stage
        try await seam.call("archive.advance") { try await base.advance(reportOf: task, to: stage) }
    }

    func reportStage(of task: TaskID) async throws(StoreError) -> ReportStage {
        try await seam.call("archive.reportStage") { try await base.reportStage(of: task) }
    }

    func isReported(_ task: TaskID) async throws(StoreError) -> Bool {
        try await seam.call("archive.isReported") { try await base.isReported(task) }
    }

    func withdraw(_ task: TaskID) async throws(StoreError) {
        try await seam.call("archive.withdraw") { try await base.withdraw(task) }
    }

    func forget(_ task: TaskID, after: Duration, provenFor proof: Duration) async throws(StoreError) {
        try await seam.call("archive.forget") { try await base.forget(task, after: after, provenFor: proof) }
    }

    func tasks(of app: AppID, before: TaskEntry.ID?, limit: Int) async throws(StoreError) -> [TaskEntry.ID] {
        try await seam.call("archive.tasks") { try await base.tasks(of: app, before: before, limit: limit) }
    }
}
