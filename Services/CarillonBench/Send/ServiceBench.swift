import Bus
import CommandKit
import JSONKit
import PushModel
import RedisStore
import ServiceKit
import Topics

/// A complete sender: chunks on the embedded bus, claims and settlements in Redis, pushes to a provider of the
/// benchmark, and results on the bus.
struct ServiceBench {
    let content: DispatchContent
    let requests: Int
    /// Number of devices that can be reached.
    let delivered: Int

    init(content: DispatchContent, requests: Int, delivered: Int? = nil) {
        self.content = content
        self.requests = requests
        self.delivered = delivered ?? requests
    }

    /// `start` starts the sender, with an app of that name and the bus at that URL.
    func run(
        in context: CommandContext, start: (AppID, String) async throws -> LocalSender
    ) async throws -> ServiceReading {
        let redis = try await LocalRedis()
        let load = DispatchLoad(
            app: try AppID("bench"), task: TaskID(high: 1, low: 1), devices: requests, content: content)
        try await redis.withClient { try await load.mark(in: RedisLedger(StoreConnection($0))) }
        return try await context.choosing(bus: redis.url).withBus { bus in
            try await load.put(on: bus)
            let channel = Topics.results.channel
            let results = try await bus.makeConsumer(ConsumerOptions(channel: channel, group: "reporter"))
            let started = Usage.now
            let sender = try await start(load.app, redis.url)
            let count = try await countDelivered(results)
            let seconds = (Usage.now - started).seconds
            let used = try sender.usage()
            await results.close()
            guard count == delivered else {
                throw BenchError("\(count) of \(delivered) devices were delivered; the sender: \(sender.lastWords)")
            }
            return ServiceReading(
                sending: SendReading(requests: delivered, seconds: seconds, cpuSeconds: used.cpuSeconds),
                memoryBytesPeak: Double(used.memoryBytesPeak))
        }
    }

    /// Reads results until there is one for each device that can be reached, or no more arrive.
    private func countDelivered(_ consumer: any BusConsumer) async throws -> Int {
        let timer = Task {
            try await SystemTimeSource().sleep(for: .seconds(300))
            consumer.stopTaking()
        }
        defer { timer.cancel() }
        var ended = 0
        var count = 0
        while ended < delivered, let delivery = await consumer.next() {
            for message in delivery.messages {
                let results = try JSON(message.value)["results"]?.elements ?? []
                ended += results.count
                count += results.count { $0["state"]?.text == DeliveryState.delivered.name }
            }
            consumer.complete(delivery)
        }
        consumer.stopTaking()
        return count
    }
}

struct ServiceReading: Sendable {
    let sending: SendReading
    let memoryBytesPeak: Double

    /// `name` is the prefix of the figures' names.
    func figures(_ name: String) -> [BenchFigure] {
        [
            BenchFigure(name: "\(name).rate", value: sending.rate, unit: "pushes/s"),
            BenchFigure(name: "\(name).cpu_per_100k", value: sending.cpuSecondsPer100k, unit: "CPU-seconds"),
        ]
    }
}
