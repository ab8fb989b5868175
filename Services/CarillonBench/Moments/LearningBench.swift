import CommandKit
import PushModel
import RedisClient
import RedisStore
import ServiceKit
import Store
import TaskModel

/// What is learnt of users: the memory that it takes, and how equal the halves of a campaign are.
struct LearningBench {
    private static let users = 100_000
    private static let usersAtOnce = 64
    private static let campaign = "daily-reminder"
    private static let zones = ["Europe/Berlin", "America/New_York", "America/Argentina/Buenos_Aires", "Asia/Tokyo"]

    func run() async throws -> [BenchFigure] {
        let app = try AppID("bench")
        return [
            BenchFigure(name: "learning.bytes_per_user", value: try await bytes(in: app), unit: "bytes"),
            BenchFigure(name: "cohorts.deviation", value: try deviation(in: app), unit: "%"),
        ]
    }

    /// Keys included, of users with six to ten opens at three to six hours.
    private func bytes(in app: AppID) async throws -> Double {
        let server = try await LocalRedis(isDurable: false)
        return try await server.withClient { client in
            let opens = RedisUserOpens(StoreConnection(client))
            // Once, so that the server has the script and its buffers.
            try await write(0, of: app, to: opens)
            let before = try await RedisReading(client)
            _ = try await Concurrently.run(LearningBench.users, atOnce: LearningBench.usersAtOnce) { number in
                try await write(number + 1, of: app, to: opens)
            }
            let after = try await RedisReading(client)
            return Double(after.memoryBytes - before.memoryBytes) / Double(LearningBench.users)
        }
    }

    private func write(_ number: Int, of app: AppID, to opens: RedisUserOpens) async throws {
        let (hours, zone) = (3 + number % 4, LearningBench.zones[number % LearningBench.zones.count])
        let user = UserKey(try LearningBench.user(number), of: app)
        let isLearnt = try await opens.update(user) { record in
            var next = OpenRecord(zone: zone)
            for open in 0..<6 + number % 5 {
                next.noteOpen(
                    of: CampaignDigest(of: LearningBench.campaign), hour: UInt8(7 + open % hours), in: zone)
            }
            record = next
        }
        guard isLearnt else { throw BenchError("the opens of \(user.user.value) were not kept") }
    }

    /// Of the users with one method from the half of all, in percent of all.
    private func deviation(in app: AppID) throws -> Double {
        let count = try (0..<LearningBench.users).count { number in
            let user = try LearningBench.user(number)
            return CampaignCohort.comparedMethod(for: user, campaign: LearningBench.campaign, in: app) == .traditional
        }
        return 100 * (Double(count) / Double(LearningBench.users) - 0.5).magnitude
    }

    private static func user(_ number: Int) throws -> Alias {
        try Alias(.externalUser, value: "user-\(number)@example.com")
    }
}
