import CommandKit
import JSONKit
import PushModel
import ServiceKit
import Store

/// Updates of one Live Activity, and broadcasts to as many devices.
struct ActivityBench {
    private struct Reading {
        /// Pushes a second.
        let rate: Double
        let cpuSeconds: [String: Double]
    }

    private static let turns = 5
    private static let pause = Duration.milliseconds(10)

    let pipeline: PipelineBench

    private var harness: LocalHarness { pipeline.harness }
    private var time: SystemTimeSource { SystemTimeSource() }

    func run() async throws -> [BenchFigure] {
        pipeline.say("registering \(pipeline.devices) devices, each with an activity")
        let memory = try await ActivityMemoryBench(tokens: pipeline.devices).run()
        try await begin()
        try await pipeline.writeRegistry { registry, app in
            let audience = ActivityAudience(count: pipeline.devices)
            let devices = try await audience.registerDevices(in: registry, of: app)
            try await audience.registerTokens(of: devices, in: registry, of: app)
        }
        pipeline.say("\(ActivityBench.turns) broadcasts and as many updates, in turns")
        var (broadcasts, updates): ([Reading], [Reading]) = ([], [])
        // The first turn fills caches, and is not counted.
        for turn in 0...ActivityBench.turns {
            broadcasts.append(try await measure { try await postBroadcast() })
            updates.append(try await measure { try await postUpdate(turn) })
        }
        let (broadcast, update) = (broadcasts.dropFirst(), updates.dropFirst())
        let (rate, usual) = (update.map(\.rate).median, broadcast.map(\.rate).median)
        return [
            memory,
            BenchFigure(name: "activities.broadcast.rate", value: usual, unit: "pushes/s"),
            BenchFigure(name: "activities.update.rate", value: rate, unit: "pushes/s"),
            BenchFigure(name: "activities.update.ratio", value: rate / usual, unit: "of broadcast"),
        ] + cpuFigures("activities.broadcast", of: broadcast) + cpuFigures("activities.update", of: update)
            + (try memoryFigures())
    }

    /// Started for a user who has no device, so that it exists.
    private func begin() async throws {
        let body = """
            {"id":"\(ActivityAudience.activity)","type":"Match","users":["user-without-device"],\
            "content_state":{"step":0},"alert":{"title":"Match"}}
            """
        let answer = try await pipeline.http.post(
            "\(harness.url)/v1/activities", body: body, type: "application/json", key: harness.key)
        guard let task = answer["task"]?.text else { throw BenchError("the API response contains no task") }
        try await pipeline.isClosed(task)
    }

    private func measure(_ post: () async throws -> String) async throws -> Reading {
        try await pipeline.waitUntilIdle()
        // An update sooner after the one before would wait.
        try await time.sleep(for: ActivityClock.wait)
        let before = try await pipeline.accepted()
        let usage = try harness.usage()
        let start = time.uptime
        let task = try await post()
        while try await pipeline.accepted() < before + pipeline.devices {
            try await time.sleep(for: ActivityBench.pause)
        }
        let seconds = (time.uptime - start).inSeconds
        try await pipeline.isClosed(task)
        let used = try harness.usage(since: usage).map { ($0.name, $0.cpuSeconds) }
        return Reading(
            rate: Double(pipeline.devices) / seconds, cpuSeconds: Dictionary(used) { first, _ in first })
    }

    private func postBroadcast() async throws -> String {
        try await pipeline.postTask(
            #"{"audience":{"topic":"\#(SyntheticDevice.everyone)"},"message":{"title":"Match","body":"A goal"}}"#)
    }

    private func postUpdate(_ step: Int) async throws -> String {
        try await onNativeThread("update") { [harness] in
            Result { try ActivityConnection(harness, activity: ActivityAudience.activity).update(to: step + 1) }
        }.get()
    }

    /// Of all programs together, and of each.
    private func cpuFigures(_ name: String, of readings: ArraySlice<Reading>) -> [BenchFigure] {
        let scale = 100_000 / Double(pipeline.devices)
        func figure(_ name: String, seconds: [Double]) -> BenchFigure {
            BenchFigure(name: name, value: seconds.median * scale, unit: "CPU-seconds/100000")
        }
        let programs = Set(readings.flatMap(\.cpuSeconds.keys)).sorted()
        return [figure("\(name).cpu", seconds: readings.map { $0.cpuSeconds.values.reduce(0, +) })]
            + programs.map { program in
                figure("\(name).cpu.\(program)", seconds: readings.map { $0.cpuSeconds[program] ?? 0 })
            }
    }

    private func memoryFigures() throws -> [BenchFigure] {
        try harness.usage().map { $0.memoryFigure("activities.memory_peak") }
    }
}
