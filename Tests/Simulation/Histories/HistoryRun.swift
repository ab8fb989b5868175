import HistoryJudge
import JSONKit
import MemoryStore
import PushModel
import ServiceKit
import Store
import Synchronization
import TaskModel

@testable import IngestAPI

/// Lets a history happen to a pipeline, and waits until everything is quiet.
final class HistoryRun: Sendable {
    /// More than any wait, retry and lease of the pipeline together.
    private static let patience = Duration.seconds(3 * 3_600)
    private static let interval = Duration.seconds(10)
    private static let aftermath = Duration.seconds(20)
    /// Longer than the lease of a reporter by a clock that is wrong.
    private static let skewedAftermath = Duration.seconds(300)
    private static let stepsMaximum = 2_000_000
    /// Between the attempts of a publisher.
    static let requestPause = Duration.seconds(2)
    private static let requestsMaximum = 200
    private static let momentLength = Duration.seconds(60)

    let history: History
    let world: World
    let population: Population
    let record = HistoryRecord()
    let fleet: Fleet
    /// Events that have not ended.
    private let underWay = Mutex(0)
    let repairs = Repairs()
    /// By the number of the order.
    let requests = Mutex<[Int: PublisherRequest]>([:])

    init(_ history: History, bug: PlantedBug? = nil, keepsTrace: Bool = false) {
        self.history = history
        world = World(
            seed: history.seed, settings: history.app, loses: history.loses, channelRetention: history.channelRetention,
            bug: bug, keepsTrace: keepsTrace)
        population = Population(count: history.deviceCount, activityTokens: history.activityTokens)
        fleet = Fleet(in: world, record: record, seed: history.seed ^ 0xF1EE7)
    }

    /// The broken rules.
    func violations() -> [Violation] {
        guard runUntilQuiet() else { return [Violation(.livelock, "more than \(HistoryRun.stepsMaximum) steps")] }
        guard let evidence = read({ try await self.evidence() }) else {
            preconditionFailure("the memory bus is readable")
        }
        end()
        return Judge.violations(in: evidence)
    }

    /// False after too many steps.
    private func runUntilQuiet() -> Bool {
        guard run(until: history.span, body: { Task { try await begin() } }), rest() else { return false }
        guard let standstill = history.standstill else { return true }
        underWay.withLock { $0 += standstill.repeated.count }
        let end = world.loop.uptime + standstill.length
        guard run(until: end, body: { Task { await fleet.stop() } }) else { return false }
        let posts = {
            self.fleet.start()
            for number in standstill.repeated { Task { await self.finish { await self.post(number) } } }
        }
        return run(until: end + HistoryRun.interval, body: posts) && rest()
    }

    /// Lets go of everything: tasks that wait for ever would never be freed.
    private func end() {
        _ = run(until: world.loop.uptime + HistoryRun.patience) { fleet.end() }
        fleet.forget()
    }

    private func rest() -> Bool {
        let begin = world.loop.uptime
        var end = begin
        while !isQuiet, end < begin + HistoryRun.patience {
            end += HistoryRun.interval
            guard run(until: end) else { return false }
        }
        // Whatever comes too late comes soon.
        return run(until: end + (history.skews ? HistoryRun.skewedAftermath : HistoryRun.aftermath))
    }

    /// One of the things that are under way.
    private func finish(_ body: () async throws -> Void) async rethrows {
        defer { underWay.withLock { $0 -= 1 } }
        try await body()
    }

    private func run(until end: Duration, body: () -> Void = {}) -> Bool {
        world.loop.run(until: end, stepsMaximum: HistoryRun.stepsMaximum, body: body)
    }

    private var isQuiet: Bool {
        let tasks = record.tasks
        guard underWay.withLock({ $0 == 0 }), history.posted.isSubset(of: tasks.map(\.value.order)),
            (tasks.map(\.key) + record.activityTasks.compactMap(\.key.id)).allSatisfy({ world.archive.isReported($0) })
        else { return false }
        return read { try await self.leftovers() }?.isEmpty ?? false
    }

    /// What the bus and the stores say now.
    private func read<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) -> Value? {
        let value = Monitor<Value?>(nil)
        _ = world.loop.run(until: world.loop.uptime, stepsMaximum: .max) {
            Task {
                let found = try await body()
                value.withLock { $0 = found }
            }
        }
        return value.withLock { $0 }
    }

    private func begin() async throws {
        try await population.register(in: world.registry)
        _ = try await world.registry.save(Population.group, in: population.app)
        fleet.start()
        underWay.withLock { $0 = history.events.count }
        if history.loses { Task { try await saveSnapshots() } }
        for event in history.events {
            Task {
                try await finish {
                    try await world.loop.sleep(until: event.time)
                    world.trace.note(event.time.wholeMilliseconds, event: "\(event)")
                    await perform(event.kind)
                }
            }
        }
        Task {
            try await world.loop.sleep(until: history.span)
            world.faults = Faults()
            world.isFull = false
            world.provider.mood = .well
        }
    }

    private func perform(_ kind: Event.Kind) async {
        switch kind {
        case .post(let number), .repeatPost(let number): await post(number)
        case .postOther(let number): await postOther(number)
        case .cancel(let number): await cancel(number)
        case .activity(let number, let step, _): await perform(step, of: history.activities[number])
        case .group(let number): await perform(history.groups[number])
        case .subscriber(let number): await perform(history.subscribers[number])
        case .forgetChannels: world.provider.channels.forget()
        case .kill(let role, let effects): await fleet.kill(role, after: effects)
        case .stop(let role): await fleet.restart(role)
        case .suspend(let role, let effects, let duration):
            await fleet.suspend(role, after: effects, for: duration)
        case .providers(let mood, let duration):
            world.provider.mood = mood
            if mood.delaysPushes { record.delayPushes(at: world.loop.uptime) }
            if mood.losesAnswers { record.disturbAll(at: world.loop.uptime) }
            await world.pause(duration)
            world.provider.mood = .well
        case .endpoint(let mood, let duration):
            world.endpoint.mood = mood
            await world.pause(duration)
            world.endpoint.mood = .well
        case .faults(let kind, let duration):
            record.disturbAll(at: world.loop.uptime)
            world.faults = Faults(kind)
            await world.pause(duration)
            world.faults = Faults()
        case .clock(let role, let error):
            record.setClock(to: error)
            fleet.setClock(of: role, to: error)
        case .addProcess(let role): fleet.add(role)
        case .removeDevice(let number, let back): await remove(number, back: back)
        case .goodMoment(let number):
            if case .users(let users) = history.orders[number].target { await begin(momentOf: users[0]) }
        case .receipts(let kind): await reportPushes(as: kind)
        case .memoryIsFull(let duration):
            world.isFull = true
            await world.pause(duration)
            world.isFull = false
        case .storeClock(let error):
            record.skew(by: error, at: world.loop.uptime)
            world.storeClock.step(to: error)
        case .storeGoesBack(let age): await storeGoesBack(by: age)
        case .busLoses(let role, let count, let duration): await loseMessages(of: role, count, suspended: duration)
        }
    }

    private func remove(_ number: Int, back: Duration?) async {
        record.move(number, at: world.loop.uptime)
        guard !HistoryRun.hasPushwoosh(number) else { return await unregister(number, back: back) }
        await ask { publisher in
            try await publisher.remove(population.id(number))
            return { $0.settle(number, isRegistered: false) }
        }
        guard let back else { return }
        await world.pause(back)
        record.move(number, at: world.loop.uptime)
        guard (try? await population.register(number, in: world.registry)) != nil else { return }
        record.settle(number, isRegistered: true)
    }

    /// As a careful publisher does: again with the same key until there is an answer. Only then its saved audience
    /// changes.
    private func post(_ number: Int) async {
        let asked = world.loop.uptime
        record.ask(number, at: asked)
        let order = history.orders[number]
        await save(try? population.savedAudience(of: order), of: number)
        await ask { publisher in
            let task: TaskID
            do {
                task = try await publisher.publish(try request(number, through: publisher))
            } catch let refusal as SimulatedAPI.RefusalError
                where refusal.isFinal && self.record.task(of: number) != nil
            {
                // A day later the time of the task may be over.
                return { _ in }
            }
            return { record in
                record.accept(task, order: number, asked: asked, answered: self.world.loop.uptime)
            }
        }
        // A repeat is expanded again if its key was lost.
        guard !history.isRepeated(number) else { return }
        await save(.not(.everyone), of: number)
    }

    /// A repeat sends what was sent first: another request with the same key is refused.
    private func request(_ number: Int, through publisher: Publisher) throws -> PublisherRequest {
        try requests.withLock { requests in
            if let known = requests[number] { return known }
            let order = history.orders[number]
            let request =
                try population.request(order, number: number)
                ?? publisher.request(
                    for: population.draft(order, number: number, saved: HistoryRun.audienceName(number)),
                    key: HistoryRun.key(number))
            requests[number] = request
            return request
        }
    }

    static func key(_ number: Int) -> String { "order-\(number)" }

    private func save(_ audience: Audience?, of number: Int) async {
        guard let audience, case .audience(_, isSaved: true, _) = history.orders[number].target else { return }
        await ask { publisher in
            try await publisher.save(audience, as: HistoryRun.audienceName(number))
            return { _ in }
        }
    }

    private static func audienceName(_ number: Int) throws -> AudienceName { try AudienceName(key(number)) }

    private func cancel(_ number: Int) async {
        record.askToCancel(number)
        guard history.orders[number].dialect != .contextPush else { return await cancelMessage(number) }
        guard let task = record.task(of: number) else { return }
        // Before the loss is noticed, a cancel also ends devices that had ended otherwise, and publishes it.
        await world.pause(max(.zero, record.disturbances.noticed - world.loop.uptime))
        await ask { publisher in
            try await publisher.cancel(task)
            return { $0.cancel(task, at: self.world.loop.uptime) }
        }
    }

    /// ContextPush cancels what counts for the key, which may be the message of another order.
    private func cancelMessage(_ number: Int) async {
        let order = history.orders[number]
        let key = order.replacementKey(number)
        for (other, that) in history.orders.enumerated() where that.replacementKey(other) == key {
            record.askToCancel(other)
        }
        await ask { publisher in
            do {
                let answer = try await publisher.send(OrderDialect.cancel(order, number: number))
                guard let task = answer.task else { preconditionFailure("an answer without a message") }
                return { $0.cancel(task, at: self.world.loop.uptime) }
            } catch let refusal as SimulatedAPI.RefusalError where refusal.status == 404 {
                return { _ in }
            }
        }
    }

    private func begin(momentOf user: Int) async {
        guard let alias = try? Population.alias(of: user) else { preconditionFailure("the users are valid") }
        await ask { publisher in
            try await publisher.begin(momentOf: alias, lasting: HistoryRun.momentLength)
            return { _ in }
        }
    }

    /// A request that is repeated until it is answered by a process that is still there. What it learned is recorded
    /// then.
    func ask(_ request: (Publisher) async throws -> (HistoryRecord) -> Void) async {
        for _ in 0..<HistoryRun.requestsMaximum {
            if let publisher = fleet.publisher, let note = await attempt(request, publisher) { return note(record) }
            await world.pause(HistoryRun.requestPause)
        }
    }
}

extension HistoryRun {
    /// Nil if there was no answer, or if the request may succeed later.
    private func attempt(
        _ request: (Publisher) async throws -> (HistoryRecord) -> Void, _ publisher: Publisher
    ) async -> ((HistoryRecord) -> Void)? {
        do {
            let note = try await request(publisher)
            return publisher.seam.gate.isDead ? nil : note
        } catch let refusal as SimulatedAPI.RefusalError where refusal.isFinal {
            fatalError("the requests are valid: \(refusal)")
        } catch {
            return nil
        }
    }
}

extension Faults {
    fileprivate init(_ kind: Event.FaultKind) {
        self.init()
        switch kind {
        case .storeRefusals: storeRefusals = 30
        case .lostStoreAnswers: lostStoreAnswers = 20
        case .busRefusals: busRefusals = 30
        case .lostBusAnswers: lostBusAnswers = 20
        case .slowCalls: slowCalls = 30
        }
    }
}
