import HistoryJudge
import PushModel
import ServiceKit

/// What a publisher, the providers and the killer know of a round.
struct SoakRecord: Sendable, CustomStringConvertible {
    private struct Connection: Hashable {
        let provider: String
        let number: Int64
    }

    /// How long before a kill a push may have been accepted whose answer is not in the ledger: the answer's delay, and
    /// the writing of results on a busy machine.
    private static let reach = Duration.seconds(10)
    private static let lifetime = Duration.seconds(3_600)

    let start: Timestamp
    let tasks: [SoakTask]
    let kills: [SoakKill]
    /// In the order of their acceptance by each provider.
    let pushes: [SoakPush]

    /// What it contributes to the evidence; times are since its start.
    var evidence: Evidence {
        var evidence = Evidence()
        evidence.tasks = tasks.map(judged)
        let lastPushes = pushes.reduce(into: [Connection: Timestamp]()) { last, push in
            last[Connection(provider: push.provider, number: push.connection)] = push.time
        }
        for push in pushes {
            let connection = Connection(provider: push.provider, number: push.connection)
            let kill = kills.first { mayHaveInterrupted($0, push, lastPush: lastPushes[connection]) }
            let sender = "\(push.provider), connection \(push.connection)" + (kill.map { ", before \($0)" } ?? "")
            if let kill { evidence.disturbances.disturb(sender, at: kill.end - start) }
            evidence.pushes[push.task, default: [:]][push.device, default: []].append(
                JudgedPush(time: push.time - start, sender: sender))
        }
        return evidence
    }

    /// A process whose connection had pushes after the kill was not the one that was killed. All processes need Redis.
    private func mayHaveInterrupted(_ kill: SoakKill, _ push: SoakPush, lastPush: Timestamp?) -> Bool {
        guard kill.providers.contains(push.provider), push.time <= kill.end,
            kill.begin - push.time <= SoakRecord.reach
        else { return false }
        return kill.victim == SoakKill.redis || lastPush.map { $0 <= kill.end } ?? true
    }

    private func judged(_ task: SoakTask) -> JudgedTask {
        let begins = task.begins ?? task.posted
        var judged = JudgedTask(
            task.id, name: "\(task.id) (\(task.order))", audience: task.order.audience,
            accepted: task.accepted - start)
        judged.begins = begins - start
        judged.deadline = max(begins, task.accepted) + SoakRecord.lifetime - start
        judged.isAtMostOnce = task.order.isAtMostOnce
        judged.cancelled = task.cancelled.map { $0 - start }
        judged.mayBeCancelled = task.order.cancelledAfter != nil
        judged.mayBeWithdrawn = task.cancelled != nil && task.begins != nil
        return judged
    }

    /// Pushes after the first one of a task to a device.
    var repeats: Int {
        struct Target: Hashable {
            let task: TaskID
            let device: Int
        }
        return pushes.count - Set(pushes.map { Target(task: $0.task, device: $0.device) }).count
    }

    /// Those of earlier rounds, whose tasks were at an end.
    var belatedPushes: Int {
        let known = Set(tasks.map(\.id))
        return pushes.count { !known.contains($0.task) }
    }

    var inFlight: Int { kills.reduce(0) { $0 + $1.inFlight } }

    /// Devices that a task should have reached and did not, although no kill allows that: only a cancelled task may
    /// leave devices out, and only one that may not be repeated does not know.
    func lost(outcomes: [TaskID: [Int: Set<DeliveryState>]]) -> Int {
        tasks.filter { $0.cancelled == nil }.reduce(0) { sum, task in
            let allowed: Set<DeliveryState> = task.order.isAtMostOnce ? [.delivered, .unknown] : [.delivered]
            return sum
                + task.order.audience.count { device in
                    guard let states = outcomes[task.id]?[device] else { return true }
                    return !states.isSubset(of: allowed)
                }
        }
    }

    var description: String {
        let started = "started \(start)"
        return "\(started), tasks \(tasks.map { "\($0.id) (\($0.order))" }), kills \(kills)"
    }
}
