import CommandKit
import JSONKit
import PushModel
import RedisStore
import ServiceKit
import Store

/// Four kinds of large requests, single pushes beside them, and the rate of a group.
struct BatchBench {
    private static let pause = Duration.milliseconds(10)
    /// That `carillon up` gives its app.
    private static let appIdentifier = 1
    private static let rate = 500
    private static let rateSeconds = 60
    private static let groupRateMaximum = 5_000

    let pipeline: PipelineBench

    private var harness: LocalHarness { pipeline.harness }
    private var time: SystemTimeSource { SystemTimeSource() }

    private struct Accepted: Sendable {
        let transfer: Int
        let devices: Int
        let seconds: Double
    }

    func run() async throws -> [BenchFigure] {
        pipeline.say("registering \(pipeline.devices) devices")
        let single = try await fill()
        // The first push to a provider opens its connection.
        _ = try await pipeline.latencies(1, to: single, of: "huawei")
        let transfersEnded = OneTimeEvent()
        defer { transfersEnded.happen() }
        async let besides = latencies(to: single, until: transfersEnded)
        let figures = try await transfers()
        transfersEnded.happen()
        let latencies = try await besides
        return figures + [
            BenchFigure(name: "batch.push_beside.p99", value: latencies.percentile(99), unit: "ms"),
            BenchFigure(name: "batch.push_beside.count", value: Double(latencies.count), unit: "pushes"),
            BenchFigure(
                name: "batch.memory_peak",
                value: Double(try ProcessReading(harness.process("ingest-api")).memoryBytesPeak) / 1e6, unit: "MB"),
        ] + (try await groupRate())
    }

    /// Milliseconds of single pushes, one after another.
    private func latencies(to device: DeviceID, until end: OneTimeEvent) async throws -> [Double] {
        var latencies: [Double] = []
        while !end.hasHappened { latencies += try await pipeline.latencies(1, to: device, of: "huawei") }
        return latencies
    }

    /// Returns a device that is in no request.
    private func fill() async throws -> DeviceID {
        try await pipeline.writeRegistry { registry, app in
            _ = try await Concurrently.run(pipeline.devices, atOnce: PipelineBench.registrationsAtOnce) { number in
                let device = BatchDevice(number)
                _ = try await registry.register(device.token(), changes: device.changes, in: app)
            }
            return try await PipelineBench.registerHuawei(in: registry, app: app)
        }
    }

    private func transfers() async throws -> [BenchFigure] {
        let quarter = pipeline.devices / 4
        func part(_ number: Int) -> Range<Int> { (number * quarter)..<((number + 1) * quarter) }
        pipeline.say("\(quarter) short ids in one element")
        let short = BatchRequest.ids(part(0), group: try await group("short"), client: 1)
        let ids = try await post(short, devices: quarter)
        let firstPush = try await secondsUntilFirstPush()
        try await check(ids)
        pipeline.say("\(quarter) tokens in one element")
        let tokens = try await post(
            BatchRequest.tokens(part(1), group: try await group("tokens"), client: 1), devices: quarter)
        try await check(tokens)
        pipeline.say("\(quarter) elements with one id")
        let elements = try await post(
            BatchRequest.elements(part(2), group: try await group("elements"), client: 1), devices: quarter)
        pipeline.say("while they are sent, two such requests at once, to \(quarter) devices")
        let bodies = [
            BatchRequest.tokens(part(3), group: try await group("both tokens"), client: 1),
            BatchRequest.elements(part(3), group: try await group("both elements"), client: 1),
        ]
        async let first = post(bodies[0], devices: quarter)
        async let second = post(bodies[1], devices: quarter)
        let both = [try await first, try await second]
        pipeline.say("waiting until all is sent")
        for accepted in [elements] + both { try await check(accepted) }
        return [
            BenchFigure(name: "batch.accept_250k.seconds", value: ids.seconds, unit: "s"),
            BenchFigure(name: "batch.first_push.seconds", value: firstPush, unit: "s"),
            BenchFigure(name: "batch.accept_tokens.seconds", value: tokens.seconds, unit: "s"),
            BenchFigure(name: "batch.accept_elements.seconds", value: elements.seconds, unit: "s"),
            BenchFigure(name: "batch.accept_both.seconds", value: max(both[0].seconds, both[1].seconds), unit: "s"),
        ]
    }

    private func group(_ name: String, rate: Int = BatchBench.groupRateMaximum) async throws -> Int {
        let answer = try await pipeline.http.post(
            "\(harness.url)/push/v1/management/groups",
            body: """
                {"group":{"app_id":\(BatchBench.appIdentifier),"name":"\(name)","send_rate":\(rate)}}
                """, type: "application/json", key: harness.key)
        guard let id = answer["group"]?.count("id") else { throw BenchError("the API response contains no group id") }
        return id
    }

    private func post(_ body: String, devices: Int) async throws -> Accepted {
        let posted = time.uptime
        let answer = try await pipeline.http.post(
            "\(harness.url)/push/v1/send-batch", body: body, type: "application/json", key: harness.key)
        guard let transfer = answer["push_response"]?.count("transfer_id") else {
            throw BenchError("the API response contains no transfer id")
        }
        return Accepted(transfer: transfer, devices: devices, seconds: (time.uptime - posted).inSeconds)
    }

    /// Of the transfers: single pushes go to another provider.
    private func secondsUntilFirstPush() async throws -> Double {
        let start = time.uptime
        let simulator = SimulatorClient(admin: harness.simulator, http: pipeline.http)
        while try await simulator.accepted()["fcm"] == 0 { try await time.sleep(for: BatchBench.pause) }
        return (time.uptime - start).inSeconds
    }

    private func status(_ transfer: Int) async throws -> JSON {
        let answer = try await pipeline.http.get("\(harness.url)/push/v1/status/\(transfer)", key: harness.key)
        guard let status = answer["transfer"] else { throw BenchError("the API response contains no transfer") }
        return status
    }

    /// Waits until the transfer is sent; every device must have got it.
    private func check(_ accepted: Accepted) async throws {
        var status = try await self.status(accepted.transfer)
        while status["status"]?.text != "sent" {
            guard status["status"]?.text != "failed" else {
                throw BenchError("a transfer failed: \(status.compactText)")
            }
            try await time.sleep(for: .milliseconds(200))
            status = try await self.status(accepted.transfer)
        }
        guard status["counts"]?.count("delivered") == accepted.devices,
            status["counts"]?.count("targeted") == accepted.devices,
            status.count("unmatched") == 0
        else {
            throw BenchError("a transfer to \(accepted.devices) devices ended as \(status.compactText)")
        }
    }

    /// Two transfers of one group that sends 500 a second.
    private func groupRate() async throws -> [BenchFigure] {
        let needed = BatchBench.rate * (BatchBench.rateSeconds + 5) / 2
        guard pipeline.devices >= 2 * needed else {
            pipeline.say("no group at a rate: it needs \(2 * needed) devices")
            return []
        }
        pipeline.say("two transfers of a group, at \(BatchBench.rate) a second for \(BatchBench.rateSeconds) seconds")
        let group = try await group("slow", rate: BatchBench.rate)
        var receipts = [try await PushReceipts(of: "fcm", harness: harness, http: pipeline.http)]
        let transfers = [
            try await post(BatchRequest.ids(0..<needed, group: group, client: 1), devices: needed),
            try await post(BatchRequest.ids(needed..<(2 * needed), group: group, client: 2), devices: needed),
        ]
        let times = try await RateCounts.times(of: &receipts, for: BatchBench.rateSeconds)
        for transfer in transfers { try await cancel(transfer.transfer) }
        return RateCounts(times, seconds: BatchBench.rateSeconds).figures(
            named: "batch.rate_500", rate: BatchBench.rate)
    }

    private func cancel(_ transfer: Int) async throws {
        for task in try await status(transfer)["tasks"]?.elements ?? [] {
            _ = try await pipeline.http.post(
                "\(harness.url)/v1/tasks/\(task.text ?? "")/cancel", body: "", type: "application/json",
                key: harness.key)
        }
    }
}
