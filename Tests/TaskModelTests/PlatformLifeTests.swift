import PushModel
import ServiceKit
import TaskModel
import Testing

/// What a message says for the devices of one platform: which message they get, and how long they live.
@Suite struct PlatformLifeTests {
    private func task(life: Duration, android: Duration? = nil, ios: Duration? = nil) throws -> PushTask {
        var task = PushTask(id: TaskID(high: 1, low: 2), app: try AppID("news"), created: Timestamp(milliseconds: 0))
        task.options.timeToLive = life
        var message = PushMessage()
        message.android = AndroidFields()
        message.android?.timeToLive = android
        message.apple = AppleFields()
        message.apple?.timeToLive = ios
        task.content.message = message
        task.content.platforms = Set(Platform.allCases)
        return task
    }

    @Test func aPlatformsLifeIsNeverLongerThanTheTasks() throws {
        let task = try task(life: .seconds(60), android: .seconds(20), ios: .seconds(90))
        #expect(task.deadline - task.created == .seconds(60))
        #expect(task.deadline(on: .android, from: nil) - task.created == .seconds(20))
        #expect(task.deadline(on: .ios, from: nil) - task.created == .seconds(60))
        #expect(task.deadline(on: .web, from: nil) - task.created == .seconds(60))
        let evening = Timestamp(milliseconds: 7_200_000)
        #expect(task.deadline(on: .android, from: evening) - evening == .seconds(20))
    }

    /// A single attempt takes time, but no more than the task has.
    @Test(arguments: [(60, 60), (0, 600), (86_400, 600)])
    func aPlatformWithOneAttemptHasTimeForIt(life: Int, expected: Int) throws {
        let task = try task(life: .seconds(life), android: .zero)
        #expect(task.timeToLive(on: .android) == .zero)
        #expect(task.deadline(on: .android, from: nil) - task.created == .seconds(expected))
    }

    @Test func aTaskWithOneAttemptHasOneOnEachPlatform() throws {
        let task = try task(life: .zero, android: .seconds(3_600))
        #expect(task.timeToLive(on: .android) == .zero)
        #expect(task.deadline(on: .android, from: nil) == task.deadline)
    }

    @Test func aPlatformsOwnMessageTakesPrecedence() throws {
        var content = try task(life: .seconds(60), android: .seconds(20), ios: .seconds(20)).content
        content.platforms = [.android]
        var own = PushMessage()
        own.badge = .increment
        content.messages = [.ios: own]
        #expect(content.targetedPlatforms == [.ios, .android])
        #expect(content.message(for: .ios) == own)
        #expect(content.message(for: .android) == content.message)
        #expect(content.message(for: .web) == nil)
        #expect(content.delivery(on: .ios).timeToLive == nil)
        #expect(content.delivery(on: .android).timeToLive == .seconds(20))
        #expect(content.countsBadge(on: .ios) && !content.countsBadge(on: .android))
        content.message = nil
        #expect(content.hasMessage && content.targetedPlatforms == [.ios])
    }
}
