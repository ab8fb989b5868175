import CommandKit
import JSONKit
import PushModel
import RedisClient
import RedisStore
import ServiceKit
import Store
import TaskKit
import TaskModel

/// Many tasks that wait, of which moments release some.
struct MomentsBench {
    private static let requestsAtOnce = 64
    private static let latePushes = 200
    private static let turns = 8
    private static let pause = Duration.milliseconds(10)
    /// Long enough that no window ends during the measurement.
    private static let window = Duration.seconds(86_400)

    let pipeline: PipelineBench
    let waiting: Int

    private var harness: LocalHarness { pipeline.harness }
    private var time: SystemTimeSource { SystemTimeSource() }
    /// Pushes of which the rate is measured.
    private var pushes: Int { min(10_000, waiting / 100) }

    func run() async throws -> [BenchFigure] {
        pipeline.say("registering \(pushes + MomentsBench.latePushes) devices")
        try await register()
        pipeline.say("\(waiting) tasks that wait")
        let tasks = try await enter()
        pipeline.say("\(pushes) pushes posted directly, and as many released by moments")
        let (direct, released) = try await rates()
        pipeline.say("\(MomentsBench.latePushes) moments, one after another")
        var latencies: [Double] = []
        for number in pushes..<pushes + MomentsBench.latePushes {
            try await pipeline.waitUntilIdle()
            let posted = time.now
            try await report(number)
            let received = try await pipeline.receipt(of: "\(tasks[number])", "apns")
            latencies.append(Double(received.milliseconds - posted.milliseconds))
        }
        pipeline.say("what opens teach")
        let learning = try await LearningBench().run()
        return [
            BenchFigure(name: "moments.push.p50", value: latencies.percentile(50), unit: "ms"),
            BenchFigure(name: "moments.push.p99", value: latencies.percentile(99), unit: "ms"),
            BenchFigure(name: "moments.direct.rate", value: direct, unit: "pushes/s"),
            BenchFigure(name: "moments.release.rate", value: released, unit: "pushes/s"),
            BenchFigure(name: "moments.release.ratio", value: released / direct, unit: "of direct"),
        ] + learning
    }

    private func register() async throws {
        try await pipeline.writeRegistry { registry, app in
            _ = try await Concurrently.run(
                pushes + MomentsBench.latePushes, atOnce: PipelineBench.registrationsAtOnce
            ) { number in
                let digits = String(number, radix: 16)
                let token = try PushToken(.apns, text: String(repeating: "0", count: 64 - digits.count) + digits)
                _ = try await registry.register(
                    token, changes: DeviceChanges(aliases: [.externalUser: "user-\(number)"]), in: app)
            }
        }
    }

    /// Enters the tasks as a scheduler does. Returns their ids, by user.
    private func enter() async throws -> [TaskID] {
        try await pipeline.writeStore { connection, app in
            let schedule = TaskSchedule(
                archive: RedisTaskArchive(connection, time: time), index: RedisRetryIndex(connection),
                moments: RedisUserMoments(connection),
                hours: LearntHours(RedisUserOpens(connection), metrics: Metrics()))
            let now = time.now
            return try await Concurrently.run(waiting, atOnce: PipelineBench.registrationsAtOnce) { number in
                let task = try MomentsBench.task(of: number, in: app, at: now)
                _ = try await schedule.enter(task, at: now)
                return task.id
            }
        }
    }

    private static func task(of user: Int, in app: AppID, at now: Timestamp) throws -> PushTask {
        var task = PushTask(
            id: TaskID(high: .random(in: 0 ... .max), low: .random(in: 0 ... .max)), app: app, created: now)
        let window = DeliveryWindow(
            from: now, to: now + MomentsBench.window, user: try Alias(.externalUser, value: "user-\(user)"),
            method: .contextAware)
        task.window = window
        task.sendAt = window.latestRelease
        task.target.list = .entries([.alias(window.user)])
        var message = PushMessage()
        message.body = LocalizedText("Hello")
        task.content.message = message
        task.content.platforms = [.ios]
        return task
    }

    /// The rates at which pushes arrive that are posted directly, and that are released: in turns, so that both have the
    /// same share of what else the machine does.
    private func rates() async throws -> (direct: Double, released: Double) {
        var (direct, released) = (0.0, 0.0)
        for users in (0..<pushes).chunks(of: max(1, pushes / MomentsBench.turns)) {
            direct += try await seconds(users) { user in
                _ = try await pipeline.postTask(#"{"users":["user-\#(user)"],"message":{"body":"Hello"}}"#)
            }
            released += try await seconds(users) { try await report($0) }
        }
        return (Double(pushes) / direct, Double(pushes) / released)
    }

    /// Until the pushes of the users have arrived.
    private func seconds(
        _ users: Range<Int>, _ request: @escaping @Sendable (Int) async throws -> Void
    ) async throws -> Double {
        try await pipeline.waitUntilIdle()
        let before = try await pipeline.accepted()
        let start = time.uptime
        _ = try await Concurrently.run(users.count, atOnce: MomentsBench.requestsAtOnce) {
            try await request(users.lowerBound + $0)
        }
        while try await pipeline.accepted() < before + users.count { try await time.sleep(for: MomentsBench.pause) }
        return (time.uptime - start).inSeconds
    }

    @Sendable private func report(_ user: Int) async throws {
        let answer = try await pipeline.http.post(
            "\(harness.url)/v1/moments", body: #"{"user":"user-\#(user)"}"#, type: "application/json",
            key: harness.key)
        guard answer["released"] == .integer(1) else {
            throw BenchError("the moment of user-\(user) released no task: \(answer.compactText)")
        }
    }
}
