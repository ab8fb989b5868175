import Bus
import HistoryJudge
import MemoryBus
import MemoryStore
import PushModel
import ServiceKit
import Store
import TaskModel
import Topics

@testable import IngestAPI

extension HistoryRun {
    /// What a judge needs to know, once everything has come to rest.
    func evidence() async throws -> Evidence {
        var evidence = Evidence()
        let tasks = record.tasks
        let reports = try await reports()
        evidence.reports = reports.mapValues(\.reports)
        let statuses = try await transferStatuses()
        let activityTasks = activityTasks(reported: evidence.reports.keys)
        evidence.tasks =
            tasks.map { id, task in
                var judgedTask = judged(id, task, among: tasks.map(\.value), reported: reports[id]?.time)
                judgedTask.status = statuses[task.order]
                return judgedTask
            }
            + activityTasks.map { judged($0.id ?? HistoryRun.noTask, $0.step) }
        evidence.outcomes = try await outcomes()
        evidence.activities = try activities(outcomes: evidence.outcomes)
        evidence.pushes = pushes(to: tasks, and: activityTasks.compactMap(\.id))
        evidence.deadLetters = try await deadLetters()
        evidence.leftovers = try await leftovers()
        evidence.bufferedBytesPeak = world.bufferedBytesPeak
        evidence.bufferBytesMaximum = SimulatedBus.bufferBytesMaximum
        evidence.disturbances = record.disturbances
        evidence.movedDevices = record.movedDevices
        (evidence.registrations, evidence.registeredDevices) = try registrations()
        evidence.subscribers = try await subscriberEvidence()
        evidence.topicCounts = try await topicCounts()
        (evidence.groups, evidence.listedGroups) = try await groupEvidence()
        evidence.receipts = record.receipts
        evidence.receiptCounts = receiptCounts()
        evidence.endpoints = try endpointEvidence()
        evidence.keysTakenAgain = record.keysTakenAgain.sorted().map { "task \($0)" }
        evidence.badges = try await badges()
        evidence.cap = history.app.cap
        evidence.appRate = history.app.rate
        evidence.unknownToProviders = Set(
            population.numbers.filter { number in
                population.tokens(of: number).contains { world.provider.isUnregistered($0) }
            }
                + world.provider.channels.refusals.compactMap { population.number(of: $0.channel) })
        return evidence
    }

    func leftovers() async throws -> [String] {
        try await waitingMessages() + (try waitingEntries())
    }

    /// What the devices that left or came back once were last answered, and which of them are registered.
    private func registrations() throws -> (answered: [Int: Bool], registered: Set<Int>) {
        let removals = history.events.compactMap(\.removedDevice)
        let answered = record.registrations.filter { device, _ in removals.count { $0 == device } == 1 }
        let registered = try answered.keys.filter { device in
            try world.registry.device(of: population.pushToken(device), in: population.app) != nil
        }
        return (answered, Set(registered))
    }

    private func badges() async throws -> [Int: Int] {
        var badges: [Int: Int] = [:]
        for number in 0..<history.deviceCount where !record.movedDevices.contains(number) {
            let device = try world.registry.device(population.id(number), in: population.app)
            badges[number] = device?.badge.map(Int.init)
        }
        return badges
    }

    private func judged(
        _ id: TaskID, _ task: HistoryRecord.AcceptedTask, among tasks: [HistoryRecord.AcceptedTask],
        reported: Duration?
    ) -> JudgedTask {
        let order = history.orders[task.order]
        // A task whose records are lost may be resolved again.
        let end = record.disturbances.haveLost ? nil : reported
        let (certain, changing) = audience(of: order, askedAt: task.asked, reportedAt: end ?? .seconds(Int64.max))
        let perhaps = certain.union(changing).filter { number in
            world.provider.isUnregistered(population.token(number)) || record.movedDevices.contains(number)
        }
        var judged = JudgedTask(
            id, name: "task \(task.order)", audience: certain.subtracting(perhaps), accepted: task.answered)
        judged.perhaps = perhaps
        judged.changing = changing
        judged.begins = max(order.begin.earliest ?? .zero, task.asked)
        judged.deadline = deadline(of: order, task: task)
        judged.isAtMostOnce = order.isAtMostOnce
        judged.mayMissResults = record.tasksWithLostMessages.contains(id)
        judged.maySuppress = order.keepsRules && !order.waits
        judged.cancelled = record.cancelled(id)
        let key = order.replacementKey(task.order)
        let others = tasks.filter { other in
            other != task && key != nil && history.orders[other.order].replacementKey(other.order) == key
        }
        // Which of two that were posted at the same time counts, the publisher cannot know.
        let successors = others.filter { task.answered < $0.asked }
        judged.cancelled = (successors.map(\.answered) + [judged.cancelled].compactMap { $0 }).min()
        judged.mayBeCancelled =
            record.wasAskedToCancel(task.order) || others.contains { task.asked <= $0.answered }
        judged.mayBeWithdrawn = judged.mayBeCancelled && (order.begin.isLater || order.key != nil)
        judged.mayBeRenewed =
            order.dialect == .contextPush
            && (record.wasAskedToCancel(task.order)
                || others.contains { $0.order != task.order && task.asked <= $0.answered })
        // All entries of devices that left name none.
        let strangers = order.target.strangers
        judged.strangers = strangers...(strangers + (perhaps.isEmpty ? 0 : order.target.listed.count))
        judged.rate = order.rate
        judged.keepsCap = order.keepsRules
        judged.requestKey = HistoryRun.key(task.order)
        judged.asked = task.asked
        if order.dialect == .richie { judged.reportPost = .inDialect }
        judged.countsBadge = order.countsBadge
        judged.isMessage = isMessage(order, of: judged, task)
        return judged
    }

    private func deadline(of order: Order, task: HistoryRecord.AcceptedTask) -> Duration {
        let begins = max(order.begin.earliest ?? .zero, task.answered)
        let latest = begins + order.timeToLive + waitMaximum(of: order)
        return switch order.begin {
        // The life of a task that waits for a moment begins with the moment.
        case .window(_, let length, let method): method.mayAwaitMoment ? begins + length : min(begins + length, latest)
        case .windowUntil(let end, let method): method.mayAwaitMoment ? end : min(end, latest)
        case .immediately, .at, .local: latest
        }
    }

    /// The states of messages of ContextPush with one key and one content cannot be told apart.
    private func isMessage(_ order: Order, of task: JudgedTask, _ accepted: HistoryRecord.AcceptedTask) -> Bool {
        switch order.begin {
        case .window: true
        case .windowUntil: !task.mayBeRenewed || record.wasAskedOnce(accepted)
        case .immediately, .at, .local: false
        }
    }

    /// The life of a device begins when it has waited for what its task, or the app, makes it wait for.
    private func waitMaximum(of order: Order) -> Duration {
        let isPaced = order.rate != nil || order.dialect == .appMetrica || history.app.rate != nil
        let hasRules = order.keepsRules && order.waits && (history.app.cap != nil || history.app.quietHours != nil)
        return isPaced || hasRules ? HistoryRun.waitMaximum : .zero
    }

    /// Has no report.
    private static let noTask = TaskID(high: 0, low: 0)
    static var waitMaximum: Duration { .seconds(7 * 86_400) }

    /// The id of a push begins like that of its task.
    private func pushes(
        to tasks: [(key: TaskID, value: HistoryRecord.AcceptedTask)], and others: [TaskID]
    ) -> [TaskID: [Int: [JudgedPush]]] {
        let known = Dictionary((tasks.map(\.key) + others).map { ($0.high, $0) }) { first, _ in first }
        let orders = Dictionary(uniqueKeysWithValues: tasks.map { ($0.key, history.orders[$0.value.order]) })
        var pushes: [TaskID: [Int: [JudgedPush]]] = [:]
        for push in world.provider.accepted {
            guard let id = known[push.id.high] else { continue }
            let device = population.number(of: push.token) ?? -1
            var judged = JudgedPush(time: push.time, sender: push.process, isUnanswered: push.isUnanswered)
            if let order = orders[id] {
                judged.hasOtherText = !HistoryRun.shows(
                    push.payload, Array(population.text(of: order, for: device).utf8))
            }
            pushes[id, default: [:]][device, default: []].append(judged)
        }
        return pushes
    }

    private static func shows(_ payload: [UInt8], _ text: [UInt8]) -> Bool {
        payload.indices.contains { payload[$0] == text.first && payload[$0...].starts(with: text) }
    }
}

/// What is on the bus.
extension HistoryRun {
    /// With the time of the first one.
    private func reports() async throws -> [TaskID: (reports: [TaskReport], time: Duration)] {
        var reports: [TaskID: (reports: [TaskReport], time: Duration)] = [:]
        for channel in Topics.reports.declaration.channels {
            try await world.bus.scan(channel) { message in
                let report = try TaskReport(decoding: message.value)
                let time = message.timestamp - ProcessClock.start
                reports[report.task, default: ([], time)].reports.append(report)
                return true
            }
        }
        return reports
    }

    private func outcomes() async throws -> [TaskID: [Int: Set<DeliveryState>]] {
        var outcomes: [TaskID: [Int: Set<DeliveryState>]] = [:]
        for channel in Topics.results.declaration.channels {
            try await world.bus.scan(channel) { message in
                let batch = try ResultBatch(decoding: message.value)
                for result in batch.results {
                    let endpoint = world.endpoints.token(of: result.device).flatMap { population.number(of: $0) }
                    let number = endpoint ?? population.number(of: result.device) ?? -1
                    outcomes[batch.task, default: [:]][number, default: []].insert(result.state)
                }
                return true
            }
        }
        return outcomes
    }

    private func deadLetters() async throws -> [String] {
        var letters: [String] = []
        for channel in Topics.dead.declaration.channels {
            try await world.bus.scan(channel) { message in
                let headers = message.headers.map { "\($0.name) \(String(decoding: $0.value, as: UTF8.self))" }
                letters.append(headers.joined(separator: ", "))
                return true
            }
        }
        return letters
    }

    private func waitingMessages() async throws -> [String] {
        let readers = world.readers.sorted { ($0.group, $0.channel.name) < ($1.group, $1.channel.name) }
        let progress = try await world.bus.progress(of: readers)
        return readers.compactMap { reader in
            guard let waiting = progress[reader]?.waiting, waiting > 0 else { return nil }
            return "\(waiting) messages of \(reader.channel.name) for \(reader.group)"
        }
    }

    private func waitingEntries() throws -> [String] {
        var entries: [String] = []
        for kind in [RetryShard.Kind.fast, .bulk, .tasks] {
            for number in 0..<RetryShard.count {
                let depth = world.retries.outlook(of: RetryShard(kind, number: number)).depth
                if depth > 0 { entries.append("\(depth) entries of the shard \(kind) \(number)") }
            }
        }
        let onAgenda = world.agenda.count()
        if onAgenda > 0 { entries.append("\(onAgenda) tasks on the agenda") }
        let untold = world.outbox.queueCount
        if untold > 0 { entries.append("\(untold) queues in the outbox") }
        return entries + (try channelsOfNothing())
    }
}

extension DraftWindow.MethodChoice {
    fileprivate var mayAwaitMoment: Bool { self != .fixed(.traditional) }
}
