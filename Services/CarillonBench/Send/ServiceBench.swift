import Bus
import CommandKit
import JSONKit
import PushModel
import RedisStore
import ServiceKit
import Topics

/// The complete APNs sender: chunks on the embedded bus, claims and settlements in Redis, pushes to the simulator, and
/// on the bus.
struct ServiceBench {
    let simulator: LocalSimulator
    let requests: Int

    func run(in context: CommandContext) async throws -> [BenchFigure] {
        let redis = try await LocalRedis()
        let load = DispatchLoad(app: try AppID("bench"), task: TaskID(high: 1, low: 1), devices: requests)
        try await redis.withClient { try await load.mark(in: RedisLedger(StoreConnection($0))) }
        return try await context.choosing(bus: redis.url).withBus { bus in
            try await load.put(on: bus)
            let channel = Topics.results.channel
            let results = try await bus.makeConsumer(ConsumerOptions(channel: channel, group: "reporter"))
            let started = Usage.now
            let sender = try await LocalSender(app: load.app.text, simulator: simulator, bus: redis.url)
            let delivered = try await countDelivered(results)
            let seconds = (Usage.now - started).seconds
            let used = try sender.usage()
            await results.close()
            guard delivered == requests else {
                throw BenchError("\(delivered) of \(requests) devices were delivered; apns-sender: \(sender.lastWords)")
            }
            return figures(seconds, used: used)
        }
    }

    /// Reads results until there is one for each device, or no more arrive.
    private func countDelivered(_ consumer: any BusConsumer) async throws -> Int {
        let timer = Task {
            try await SystemTimeSource().sleep(for: .seconds(300))
            consumer.stopTaking()
        }
        defer { timer.cancel() }
        var ended = 0
        var delivered = 0
        while ended < requests, let delivery = await consumer.next() {
            for message in delivery.messages {
                let results = try JSON(message.value)["results"]?.elements ?? []
                ended += results.count
                delivered += results.count { $0["state"]?.text == DeliveryState.delivered.name }
            }
            consumer.complete(delivery)
        }
        consumer.stopTaking()
        return delivered
    }

    private func figures(_ seconds: Double, used: ProcessReading) -> [BenchFigure] {
        let sending = SendReading(requests: requests, seconds: seconds, cpuSeconds: used.cpuSeconds)
        return [
            BenchFigure(name: "send.apns.service.rate", value: sending.rate, unit: "pushes/s"),
            BenchFigure(
                name: "send.apns.service.cpu_per_100k", value: sending.cpuSecondsPer100k, unit: "CPU-seconds"),
            BenchFigure(name: "send.apns.rss", value: Double(used.memoryBytesPeak) / 1e6, unit: "MB"),
        ]
    }
}
