import LocalTime
import MemoryStore
import PushModel
import ServiceKit
import Store
import TaskKit
import TaskModel
import TestSupport
import Testing

/// The time of a task by what its user's opens taught.
@Suite struct LearntHoursTests {
    private static let day = Duration.seconds(86_400)
    private let opens = MemoryUserOpens()
    private let now: Timestamp
    private let app: AppID

    init() throws {
        now = try #require(Timestamp(rfc3339: "2026-01-15T00:00:00Z"))
        app = try AppID("news")
    }

    private func learn(_ user: String, hour: UInt8, campaign: String = "daily", zone: String = "UTC") throws {
        _ = opens.update(UserKey(try Samples.user(user), of: app)) { record in
            var next = record ?? OpenRecord(zone: zone)
            for _ in 0..<5 { next.noteOpen(of: CampaignDigest(of: campaign), hour: hour, in: zone) }
            record = next
        }
    }

    private func release(
        _ user: String, in app: AppID? = nil, after pause: Duration = .zero, length: Duration = day * 2,
        method: DeliveryWindow.Method = .contextAware, campaign: String? = "daily"
    ) async throws -> Timestamp? {
        var task = PushTask(id: TaskID(high: 1, low: 1), app: app ?? self.app, created: now)
        let opens = now + pause
        let window = DeliveryWindow(from: opens, to: opens + length, user: try Samples.user(user), method: method)
        task.window = window
        task.labels[CampaignCohort.label] = campaign
        return try await LearntHours(self.opens, metrics: Metrics()).release(of: task, window: window, at: now)
    }

    @Test func theUsersOwnHourIsChosen() async throws {
        try learn("ada", hour: 8)
        try learn("eve", hour: 20, zone: "Asia/Tokyo")
        let ada = try #require(try await release("ada"))
        #expect((now + .seconds(8 * 3_600)..<now + .seconds(9 * 3_600)).contains(ada))
        let eve = try #require(try await release("eve"))
        #expect((now + .seconds(11 * 3_600)..<now + .seconds(12 * 3_600)).contains(eve))
        #expect(try await release("bob") == nil)
        #expect(try await release("ada", in: try AppID("shop")) == nil)
        #expect(try await release("ada", method: .traditional) == nil)
        // The window opens later, or ends before the hour.
        #expect(try await release("ada", after: .seconds(9 * 3_600)) == ada + Self.day)
        #expect(try await release("ada", length: .seconds(8 * 3_600)) == nil)
    }

    /// The same minute for all pushes of a user; those of many users are spread over the hour.
    @Test func usersAreSpreadOverTheHour() async throws {
        var minutes: Set<Int64> = []
        for number in 0..<300 {
            try learn("user-\(number)", hour: 8)
            let time = try #require(try await release("user-\(number)"))
            let tomorrow = try await release("user-\(number)", after: .seconds(9 * 3_600))
            #expect(tomorrow == time + Self.day)
            minutes.insert((time - now).wholeMilliseconds / 60_000 - 8 * 60)
        }
        #expect(minutes.isSubset(of: 0..<60) && minutes.count > 50)
    }

    /// A zone that tzdata has no more is UTC. Campaigns are their bytes; a task may have none.
    @Test func namesOfAnyKindAreRead() async throws {
        try learn("ada", hour: 8, campaign: "", zone: "Mars/Base")
        try learn("ada", hour: 10, campaign: "e\u{301}", zone: "Mars/Base")
        let none = try #require(try await release("ada", campaign: nil))
        #expect((now + .seconds(8 * 3_600)..<now + .seconds(9 * 3_600)).contains(none))
        let accent = try #require(try await release("ada", campaign: "e\u{301}"))
        #expect(accent == none + .seconds(2 * 3_600))
        #expect(try await release("ada", campaign: "\u{E9}") == none)
    }
}
