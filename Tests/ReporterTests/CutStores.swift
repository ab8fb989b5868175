import Bus
import PushModel
import ServiceKit
import Store
import TestSupport

struct CutTraces: TaskTraces {
    private let traces: any TaskTraces
    private let scissors: Scissors

    init(_ traces: any TaskTraces, scissors: Scissors) {
        self.traces = traces
        self.scissors = scissors
    }

    func keep(_ trace: TaskTrace, of task: TaskID, for retention: Duration) async throws(StoreError) {
        try await scissors.around { () async throws(StoreError) in
            try await traces.keep(trace, of: task, for: retention)
        }
    }

    func trace(of task: TaskID, created: Timestamp?) async throws(StoreError) -> TaskTrace? {
        try await traces.trace(of: task, created: created)
    }
}

struct CutStatistics: TaskStatistics {
    private let statistics: any TaskStatistics
    private let scissors: Scissors

    init(_ statistics: any TaskStatistics, scissors: Scissors) {
        self.statistics = statistics
        self.scissors = scissors
    }

    func fold(_ task: CountedTask) async throws(StoreError) -> Bool {
        try await scissors.around { () async throws(StoreError) in
            try await statistics.fold(task)
        }
    }

    func read(_ selection: StatisticsSelection) async throws(StoreError) -> StatisticsPage {
        try await statistics.read(selection)
    }
}

struct CutDeviceTasks: DeviceTasks {
    private let tasks: any DeviceTasks
    private let scissors: Scissors

    init(_ tasks: any DeviceTasks, scissors: Scissors) {
        self.tasks = tasks
        self.scissors = scissors
    }

    func enter(
        _ task: TaskID, closed: Timestamp, under devices: [DeviceIndex], of app: AppID
    ) async throws(StoreError) {
        try await scissors.around { () async throws(StoreError) in
            try await tasks.enter(task, closed: closed, under: devices, of: app)
        }
    }

    func tasks(of device: DeviceIndex, in app: AppID) async throws(StoreError) -> [TaskID] {
        try await tasks.tasks(of: device, in: app)
    }

    func forget(_ device: DeviceIndex, in app: AppID) async throws(StoreError) {
        try await tasks.forget(device, in: app)
    }
}

struct CutAgenda: TaskAgenda {
    private let agenda: any TaskAgenda
    private let scissors: Scissors

    init(_ agenda: any TaskAgenda, scissors: Scissors) {
        self.agenda = agenda
        self.scissors = scissors
    }

    func enter(_ task: TaskID, due: Timestamp) async throws(StoreError) {
        try await agenda.enter(task, due: due)
    }

    func take(upTo count: Int, for lease: Duration) async throws(StoreError) -> [TaskID] {
        try await agenda.take(upTo: count, for: lease)
    }

    func postpone(_ task: TaskID, until due: Timestamp) async throws(StoreError) {
        try await scissors.around { () async throws(StoreError) in
            try await agenda.postpone(task, until: due)
        }
    }

    func finish(_ task: TaskID) async throws(StoreError) {
        try await scissors.around { () async throws(StoreError) in
            try await agenda.finish(task)
        }
    }

    func count() async throws(StoreError) -> Int {
        try await agenda.count()
    }
}
