import HistoryJudge
import PushModel
import ServiceKit
import TestSupport
import Testing
import Topics

/// Goal: a soak run excuses exactly the repeats that a kill explains, and counts what is lost. Method: rounds of one
/// task for one device, with kills and pushes at chosen times.
struct SoakRecordTests {
    private static let start = Timestamp(milliseconds: 1_800_000_000_000)

    @Test func aRepeatAfterAKillOfItsSenderIsExcused() {
        #expect(rules(pushes: [(1_000, 1), (9_000, 2)], kills: [kill("apns-sender", 2_000)]).isEmpty)
        #expect(rules(pushes: [(1_000, 1), (9_000, 2)], kills: [kill(SoakKill.redis, 2_000)]).isEmpty)
    }

    @Test func anotherRepeatIsNot() {
        let pushes: [(Int64, Int64)] = [(1_000, 1), (9_000, 2)]
        let broken = [Violation.Rule.noRepeatWithoutReason]
        #expect(rules(pushes: pushes, kills: []) == broken)
        #expect(rules(pushes: pushes, kills: [kill("android-sender", 2_000)]) == broken)
        #expect(rules(pushes: pushes, kills: [kill("reporter", 2_000)]) == broken)
        // Killed before the push, and so long after it that its answer is in the ledger.
        #expect(rules(pushes: pushes, kills: [kill("apns-sender", 0)]) == broken)
        #expect(rules(pushes: [(1_000, 1), (19_000, 2)], kills: [kill("apns-sender", 12_000)]) == broken)
        // The connection outlived the kill.
        #expect(rules(pushes: [(1_000, 1), (9_000, 1)], kills: [kill("apns-sender", 2_000)]) == broken)
    }

    @Test func noKillExcusesTheRepeatOfATaskThatAllowsNone() {
        let task = SoakRecordTests.task(isAtMostOnce: true)
        let broken = rules(of: task, pushes: [(1_000, 1), (9_000, 2)], kills: [kill("apns-sender", 2_000)])
        #expect(broken == [.atMostOnce])
    }

    @Test func aPushOfAnEarlierRoundIsBelated() {
        let task = SoakRecordTests.task()
        let push = SoakPush(
            task: TaskID(high: 2, low: 2), device: 0, time: SoakRecordTests.start, provider: "fcm", connection: 1)
        let record = SoakRecord(start: SoakRecordTests.start, tasks: [task], kills: [], pushes: [push])
        #expect(record.belatedPushes == 1)
        #expect(self.record(pushes: [(1_000, 1)], kills: []).belatedPushes == 0)
    }

    @Test func aDeviceWithoutItsPushIsLost() throws {
        let task = SoakRecordTests.task()
        let device = try #require(task.order.audience.first)
        let record = record(pushes: [], kills: [])
        #expect(record.lost(outcomes: [:]) == 1)
        #expect(record.lost(outcomes: [task.id: [device: [.expired]]]) == 1)
        #expect(record.lost(outcomes: [task.id: [device: [.delivered]]]) == 0)
    }

    @Test func killsBoundTheRepeats() {
        let pushes: [(Int64, Int64)] = [(1_000, 1), (9_000, 2), (9_500, 2)]
        let killed = [kill("apns-sender", 2_000), kill(SoakKill.redis, 3_000), kill("renderer", 4_000)]
        let record = record(pushes: pushes, kills: killed)
        #expect(record.repeats == 2)
        #expect(record.inFlight == 2 * 200 + 2 * 2 * (200 + 200 + 500))
    }

    private static func task(isAtMostOnce: Bool = false) -> SoakTask {
        var dice = Dice(seed: 1)
        var order = SoakOrder(.single, posted: .zero, dice: &dice)
        order.isAtMostOnce = isAtMostOnce
        return SoakTask(id: TaskID(high: 1, low: 1), order: order, posted: start, accepted: start, begins: nil)
    }

    private func kill(_ victim: String, _ time: Int64) -> SoakKill {
        let begin = SoakRecordTests.start + .milliseconds(time)
        return SoakKill(victim: victim, begin: begin, end: begin + .milliseconds(500))
    }

    /// Pushes by time and connection.
    private func record(
        of task: SoakTask = task(), pushes: [(Int64, Int64)], kills: [SoakKill]
    ) -> SoakRecord {
        let device = task.order.audience.first ?? -1
        return SoakRecord(
            start: SoakRecordTests.start, tasks: [task], kills: kills,
            pushes: pushes.map { time, connection in
                SoakPush(
                    task: task.id, device: device, time: SoakRecordTests.start + .milliseconds(time),
                    provider: "apns", connection: connection)
            })
    }

    /// The rules that the judge sees broken, other than those about the report, which these rounds do not have.
    private func rules(
        of task: SoakTask = task(), pushes: [(Int64, Int64)], kills: [SoakKill]
    ) -> [Violation.Rule] {
        Judge.violations(in: record(of: task, pushes: pushes, kills: kills).evidence).map(\.rule)
            .filter { $0 != .acceptedTasksAreReported }
    }
}
