import Bus
import KafkaBus
import RedisBus
import RedisClient
import ServiceKit
import TestSupport
import Topics

/// The test's own client of a bus, to send messages to a probe.
enum TestBus {
    static func durableRedis(password: String? = nil) async throws -> RedisServer {
        var options = RedisServer.Options()
        options.isDurable = true
        options.password = password
        return try await RedisServer(options)
    }

    /// Sends one message per text, without a key.
    static func send(_ texts: String..., to topic: Topic<OpaqueMessage>, at url: String) async throws {
        let environment = TestEnvironment.real.forWorkers
        let bus: any Bus =
            url.hasPrefix("kafka://")
            ? try KafkaBus(try KafkaConfiguration(url: url), environment: environment)
            : RedisBus(
                redis: try RedisConfiguration(url: url), RedisBusConfiguration(), log: environment.log,
                metrics: environment.metrics, health: environment.health, time: environment.time,
                random: environment.random)
        let producer = try await bus.makeProducer(ProducerOptions())
        try await producer.send(texts.map { topic.message(OpaqueMessage(Array($0.utf8)), key: nil) })
        await producer.close()
        await bus.close()
    }
}
