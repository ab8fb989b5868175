import HistoryJudge
import JSONKit
import MemoryStore
import PushModel
import ServiceKit
import Store
import TaskKit
import TaskModel

@testable import IngestAPI

/// What a judge needs to know of activities.
extension HistoryRun {
    /// For which a state is tried.
    private static let lifeOfState = Duration.seconds(3_600)

    func activities(outcomes: [TaskID: [Int: Set<DeliveryState>]]) throws -> [JudgedActivity] {
        try history.activities.map { try judged($0, outcomes: outcomes) }
    }

    /// The tasks that send states, with the first step that was answered with each. Of a task with a code the id is that
    /// of its report; nil without one.
    func activityTasks(reported: some Sequence<TaskID>) -> [(id: TaskID?, step: HistoryRecord.ActivityStep)] {
        let tasks = record.activityTasks
        guard tasks.contains(where: { if case .code = $0.key { true } else { false } }) else {
            return tasks.map { ($0.key.id, $0.value) }
        }
        let ids = Dictionary(reported.map { (PushwooshAnswer.code(of: $0), $0) }) { first, _ in first }
        return tasks.map { task, step in
            switch task {
            case .id(let id): (id, step)
            case .code(let code): (ids[code], step)
            }
        }
    }

    /// A task that sends states: which, and to which tokens, is decided when it is sent.
    func judged(_ id: TaskID, _ step: HistoryRecord.ActivityStep) -> JudgedTask {
        let plan = history.activities[step.activity]
        let name = "the task of step \(step.step) of \(plan.name)"
        guard plan.steps[step.step].kind == .start else {
            var judged = JudgedTask(id, name: name, audience: [], accepted: step.answered)
            judged.perhaps = Set(population.numbers.dropFirst(history.deviceCount))
            judged.deadline = step.answered + HistoryRun.lifeOfState
            judged.mayBeCancelled = true
            judged.mayBeWithdrawn = true
            judged.maySuppress = true
            judged.keepsAppRate = false
            judged.reportPost = .none
            return judged
        }
        let devices = devices(of: plan)
        let perhaps = devices.filter { number in
            population.tokens(of: number).contains { world.provider.isUnregistered($0) }
        }.union(devices.intersection(record.movedDevices))
        var judged = JudgedTask(id, name: name, audience: devices.subtracting(perhaps), accepted: step.answered)
        judged.perhaps = perhaps.union(Population.phones(of: plan.users, among: history.deviceCount))
        // It obeys the rules of the app, and waits for them.
        let mayWait = history.app.cap != nil || history.app.quietHours != nil || history.app.rate != nil
        judged.deadline = step.answered + HistoryRun.lifeOfState + (mayWait ? HistoryRun.waitMaximum : .zero)
        judged.maySuppress = true
        judged.mayMissResults = record.tasksWithLostMessages.contains(id)
        return judged
    }

    /// A phone on which it cannot be started gets the fallback. Without one it has no outcome, unless the phone lost
    /// its token while the start was under way.
    private func devices(of plan: ActivityPlan) -> Set<Int> {
        Population.devices(of: plan.users, among: history.deviceCount).filter(plan.reaches)
    }

    private func judged(
        _ plan: ActivityPlan, outcomes: [TaskID: [Int: Set<DeliveryState>]]
    ) throws -> JudgedActivity {
        let steps = record.activitySteps.filter { $0.activity == plan.number }
        var judged = JudgedActivity(name: plan.name)
        judged.requests = steps.compactMap { step in
            guard let kind = plan.steps[step.step].kind.judged else { return nil }
            return JudgedActivity.Request(
                kind, state: plan.state(of: step.step), asked: step.asked, answered: step.answered)
        }
        let id = try ActivityID(plan.name)
        if let facts = try world.registry.facts(of: id, in: population.space) {
            judged.stored = try KnownActivity(id, facts: facts).newest?.step
            judged.hasEnded = facts.end != nil
        }
        let pushes = statePushes(of: plan)
        let lost = missed(steps.first { plan.state(of: $0.step) == judged.stored }, outcomes: outcomes)
        let ofDevices = pushes.filter { $0.key < history.deviceCount }
        judged.starts = ofDevices.filter { !plan.mirrors(to: $0.key) }.flatMap(\.value)
        judged.channels = judgedChannels(judged.starts)
        judged.mirrors = try mirrors(of: plan, pushes: pushes, lost: lost)
        judged.phones =
            try phones(of: plan, steps: steps, pushes: pushes, lost: lost)
            + channels(of: plan, pushes: pushes, lost: lost, outcomes: outcomes)
        return judged
    }

    /// By the number of the device, or of the token.
    private func statePushes(of plan: ActivityPlan) -> [Int: [JudgedActivity.StatePush]] {
        var pushes: [Int: [JudgedActivity.StatePush]] = [:]
        for push in world.provider.accepted {
            guard let number = population.number(of: push.token) else { continue }
            let mirrored = plan.mirrors(to: number) ? PushedState(mirroredIn: push.payload) : nil
            guard let state = push.state ?? mirrored, state.activity == plan.name else { continue }
            pushes[number, default: []].append(
                JudgedActivity.StatePush(
                    state: state.number, isEnd: state.isEnd, timestamp: state.timestamp, channel: state.channel,
                    push: JudgedPush(time: push.time, sender: push.process, isUnanswered: push.isUnanswered)))
        }
        return pushes
    }

    /// The devices, tokens and channels at which the last state, that of this step, may not have arrived. Without a step,
    /// those at which any state may not have arrived.
    private func missed(
        _ last: HistoryRecord.ActivityStep?, outcomes: [TaskID: [Int: Set<DeliveryState>]]
    ) -> Set<Int> {
        let others = last.map { otherTasks(than: $0, among: outcomes.keys) } ?? []
        return outcomes.reduce(into: []) { missed, outcomes in
            let ended: Set<DeliveryState> = [.failed, .expired, .unknown, .invalid, .invalidRemoved]
            guard !others.contains(outcomes.key) else { return }
            missed.formUnion(outcomes.value.filter { !$0.value.isDisjoint(with: ended) }.keys)
        }
    }

    /// The tasks that send something else. No answer tells of the task that sends the last state to a token that is
    /// reported late; after a request that was repeated an earlier task may send its state.
    private func otherTasks(
        than last: HistoryRecord.ActivityStep, among ids: some Sequence<TaskID>
    ) -> Set<TaskID> {
        let orders = Set(record.tasks.map(\.key))
        guard last.answered - last.asked < HistoryRun.requestPause else { return orders }
        let codes = Dictionary(ids.map { (PushwooshAnswer.code(of: $0), $0) }) { first, _ in first }
        let earlier = record.stepsOfTasks.filter { _, steps in steps.allSatisfy { $0.answered < last.asked } }
        let known = earlier.keys.compactMap { task in
            switch task {
            case .id(let id): id
            case .code(let code): codes[code]
            }
        }
        return orders.union(known).union(known.map(\.ofMirror))
    }

    private func mirrors(
        of plan: ActivityPlan, pushes: [Int: [JudgedActivity.StatePush]], lost: Set<Int>
    ) throws -> [JudgedActivity.Mirror] {
        try Population.devices(of: plan.users, among: history.deviceCount).sorted().filter(plan.mirrors).map { number in
            let isLost =
                lost.contains(number) || record.movedDevices.contains(number)
                || world.provider.isUnregistered(population.token(number))
            let device = try world.registry.device(population.id(number), in: population.app)
            return JudgedActivity.Mirror(
                name: "device \(number)", pushes: pushes[number] ?? [], isReliable: !isLost && device != nil)
        }
    }

    /// Each stands for the phones that were told of it. It is registered once one of them is known to have the start.
    private func channels(
        of plan: ActivityPlan, pushes: [Int: [JudgedActivity.StatePush]], lost: Set<Int>,
        outcomes: [TaskID: [Int: Set<DeliveryState>]]
    ) throws -> [JudgedActivity.Phone] {
        let starts = pushes.filter { $0.key < history.deviceCount }
        let told = starts.mapValues { pushes in Set(pushes.compactMap(\.channel)) }
        return try Set(told.values.joined()).sorted().map { channel in
            let number = population.number(of: channel) ?? -1
            let registered = try world.registry.device(of: PushToken(.channel, text: channel), in: population.space)
            var phone = JudgedActivity.Phone(
                name: channel, isRegistered: registered != nil, pushes: pushes[number] ?? [])
            phone.isReliable = !lost.contains(number)
            let isKnown = told.contains { device, channels in
                channels == [channel] && starts[device]?.count == 1
                    && isStarted(plan, on: device, outcomes: outcomes)
            }
            let isGone = !world.provider.channels.open.contains(channel)
            if isKnown, !isGone { phone.isLast = true }
            return phone
        }
    }

    /// True if a start of it ended as delivered to the device. A reporter needs the records of its task.
    private func isStarted(
        _ plan: ActivityPlan, on device: Int, outcomes: [TaskID: [Int: Set<DeliveryState>]]
    ) -> Bool {
        record.activityTasks.contains { task, step in
            step.activity == plan.number && plan.steps[step.step].kind == .start
                && task.id.flatMap { outcomes[$0]?[device] } == [.delivered]
                && !record.disturbances.mayHaveLost(tasksOf: step.asked)
        }
    }

    private func phones(
        of plan: ActivityPlan, steps: [HistoryRecord.ActivityStep], pushes: [Int: [JudgedActivity.StatePush]],
        lost: Set<Int>
    ) throws -> [JudgedActivity.Phone] {
        return try plan.steps.indices.compactMap { step throws -> JudgedActivity.Phone? in
            guard case .report(let device, let token) = plan.steps[step].kind else { return nil }
            let number = history.deviceCount + token
            let text = population.token(number)
            let registered = try world.registry.device(
                of: PushToken(.liveActivity, text: text), in: population.space)
            var phone = JudgedActivity.Phone(
                name: "token \(token) of device \(device)", isRegistered: registered != nil,
                pushes: pushes[number] ?? [])
            guard let own = steps.first(where: { $0.step == step }) else { return phone }
            phone.isReliable = !lost.contains(number) && !world.provider.isUnregistered(text)
            phone.isLast = isLast(own, on: device, of: plan, among: steps)
            return phone
        }
    }

    /// Nil unless it is certain.
    private func isLast(
        _ own: HistoryRecord.ActivityStep, on device: Int, of plan: ActivityPlan,
        among steps: [HistoryRecord.ActivityStep]
    ) -> Bool? {
        let others = steps.filter { $0.step != own.step && plan.steps[$0.step].kind.concerns(device) }
        let isComplete = plan.steps.count { $0.kind.concerns(device) } == others.count + 1
        guard isComplete, !record.movedDevices.contains(device) else { return nil }
        if others.allSatisfy({ $0.answered < own.asked }) { return true }
        return others.contains { own.answered < $0.asked } ? false : nil
    }
}

extension ActivityPlan.Kind {
    /// Nil for what an app reports.
    fileprivate var judged: JudgedActivity.Request.Kind? {
        switch self {
        case .start: .start
        case .update: .update
        case .end: .end
        case .report, .close: nil
        }
    }

    fileprivate func concerns(_ number: Int) -> Bool {
        switch self {
        case .report(let device, _), .close(let device): device == number
        case .start, .update, .end: false
        }
    }
}

extension ActivityState {
    fileprivate var step: Int? {
        guard case .integer(let number) = contentState["step"] else { return nil }
        return Int(number)
    }
}
