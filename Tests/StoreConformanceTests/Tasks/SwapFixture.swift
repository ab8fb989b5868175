import Bus
import MemoryBus
import MemoryStore
import PushModel
import RedisStore
import ServiceKit
import Store
import TaskKit
import TaskModel
import TestSupport
import Topics

@testable import Simulation

/// Tasks of one key, accepted by processes that may crash, with stores of one kind and a bus in memory.
final class SwapFixture: Sendable {
    static let lease = Duration.seconds(60)

    let key: ReplacementKey
    let stores: TaskReplacement.Stores
    private let time: ManualTimeSource
    private let bus: MemoryBus

    init(_ stores: TaskReplacement.Stores, time: ManualTimeSource) throws {
        self.stores = stores
        self.time = time
        key = try ReplacementKey("order-4711", of: Samples.freshApp())
        bus = MemoryBus(time: time, random: SeededRandomSource(seed: 1))
    }

    func task(after pause: Duration = .zero, isDerived: Bool = false) -> PushTask {
        let fresh = Samples.freshTask()
        let id = TaskID(high: fresh.high & ~0xF000 | (isDerived ? 0x8000 : 0x4000), low: fresh.low)
        var task = PushTask(id: id, app: key.app, created: time.now)
        if pause > .zero { task.sendAt = time.now + pause }
        task.options.timeToLive = .seconds(3_600)
        task.content.message = PushMessage()
        task.content.platforms = [.ios]
        task.replaces = key
        return task
    }

    /// The steps as one process takes them.
    func process(
        _ scissors: Scissors = Scissors(), interruption: CutReplacements.Interruption? = nil
    ) async throws -> TaskReplacement {
        let producer = CutProducer(try await bus.makeProducer(ProducerOptions()), scissors: scissors)
        let environment = TestEnvironment(time: time, level: .error).forWorkers
        let cut = TaskReplacement.Stores(
            replacements: CutReplacements(stores.replacements, scissors: scissors, interruption: interruption),
            archive: CutArchive(stores.archive, scissors: scissors), ledger: stores.ledger)
        let cancellation = TaskCancellation(
            ledger: stores.ledger, agenda: MemoryTaskAgenda(time: time), producer: producer,
            reader: MemoryRegistry(time: time, random: SeededRandomSource(seed: 2)),
            isRegistryReady: { true }, environment: environment)
        return TaskReplacement(cut, producer: producer, cancellation: cancellation, environment: environment)
    }

    /// True if the publisher is told that the task is accepted.
    @discardableResult
    func accept(
        _ task: PushTask, scissors: Scissors = Scissors(), interruption: CutReplacements.Interruption? = nil
    ) async throws -> Bool {
        let process = try await process(scissors, interruption: interruption)
        do {
            try await process.accept(task, content: TaskMessage.task(task).encoded(), key: key, trace: nil)
            return true
        } catch {
            guard scissors.hasCut || (error as? StoreError)?.isRetriable == true else { throw error }
            return false
        }
    }

    /// Takes what is due, as one scheduler does.
    func sweepOnce(_ scissors: Scissors = Scissors()) async throws -> Int {
        let process = try await process(scissors)
        let due = try await stores.replacements.take(upTo: 100, for: SwapFixture.lease)
        for lease in due {
            do {
                try await process.resume(lease)
            } catch {
                guard scissors.hasCut else { throw error }
            }
        }
        return due.count
    }

    func letSwapsBecomeDue() {
        time.advance(by: SwapFixture.lease + .seconds(1))
    }

    /// Lets the sweep finish everything.
    func sweep() async throws {
        for _ in 0..<8 {
            letSwapsBecomeDue()
            if try await sweepOnce() == 0 { return }
        }
        throw SetupError(description: "the sweep never ends")
    }

    /// What the scheduler does when a task is due.
    func release(_ task: PushTask, meanwhile: () async throws -> Void = {}) async throws {
        guard try await records(of: task.id).last?.isWithdrawn == false else { return }
        let isReplaced = try await stores.replacements.haveReplaced(task)
        try await meanwhile()
        let producer = try await bus.makeProducer(ProducerOptions())
        try await producer.send([
            Topics.tasks.message(.task(isReplaced ? task.withdrawn : task), key: Topics.key(task.id))
        ])
    }

    /// Those of the tasks of which devices that are not claimed yet will be sent.
    func goingOut(of tasks: [PushTask]) async throws -> [TaskID] {
        var going: [TaskID] = []
        for task in tasks where try await goesOut(task) { going.append(task.id) }
        return going
    }

    private func goesOut(_ task: PushTask) async throws -> Bool {
        if try await stores.ledger.isCancelled(task.id) { return false }
        // The first message of a task is planned.
        if let first = try await released(task.id).first { return !first.isWithdrawn }
        guard let last = try await records(of: task.id).last, !last.isWithdrawn else { return false }
        return try await !stores.replacements.haveReplaced(task)
    }

    /// True if it ends with a report: it is sent, withdrawn or not.
    func isReported(_ task: PushTask) async throws -> Bool {
        if try await !released(task.id).isEmpty { return true }
        return try await records(of: task.id).last?.isWithdrawn == true
    }

    /// True if it does not go out, and either ends with a report or left nothing behind.
    func isConcluded(_ task: PushTask) async throws -> Bool {
        if try await isReported(task) { return true }
        guard try await records(of: task.id).isEmpty else { return false }
        return try await stores.archive.content(of: task.id) == nil
    }

    func released(_ id: TaskID) async throws -> [PushTask] {
        var tasks: [PushTask] = []
        try await bus.scan(Topics.tasks.channel) { message in
            if case .task(let task) = try TaskMessage(decoding: message.value), task.id == id { tasks.append(task) }
            return true
        }
        return tasks
    }

    func records(of id: TaskID) async throws -> [PushTask] {
        var tasks: [PushTask] = []
        try await bus.scan(Topics.schedules.channel) { message in
            if case .task(let task) = try ScheduleRecord(decoding: message.value), task.id == id { tasks.append(task) }
            return true
        }
        return tasks
    }
}

extension StoreKind {
    /// Runs a test with stores of its own; each fixture has another app and bus.
    func withSwaps(_ body: (_ fresh: () throws -> SwapFixture) async throws -> Void) async throws {
        // Redis expires pointers by its own clock.
        try await withFixture(.own, time: ManualTimeSource(now: SystemTimeSource().now)) { fixture in
            let replacements: any TaskReplacements = try fixture.store(
                memory: { MemoryTaskReplacements(time: $0) }, redis: { RedisTaskReplacements($0, time: $1) },
                simulated: { SimulatedTaskReplacements(base: MemoryTaskReplacements(time: $0), seam: $1) })
            let archive: any TaskArchive = try fixture.store(
                memory: { _ in MemoryTaskArchive() }, redis: { RedisTaskArchive($0, time: $1) },
                simulated: { _, seam in SimulatedTaskArchive(base: MemoryTaskArchive(), seam: seam) })
            let ledger: any Ledger = try fixture.store(
                memory: { MemoryLedger(time: $0) }, redis: { RedisLedger($0, time: $1) },
                simulated: { SimulatedLedger(base: MemoryLedger(time: $0), seam: $1, witness: SimulatedWitness($1)) })
            let stores = TaskReplacement.Stores(replacements: replacements, archive: archive, ledger: ledger)
            try await body { try SwapFixture(stores, time: fixture.time) }
        }
    }
}
