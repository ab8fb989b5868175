package import Bus
package import KafkaBus
import RedisBus
package import RedisClient
package import ServiceKit

/// Selects the bus by the scheme of `CARILLON_BUS`; the rest of the code is independent of the choice.
package struct BusSelection: Sendable {
    private enum Kind: Sendable {
        case kafka(KafkaConfiguration)
        case redis(RedisConfiguration, RedisBusConfiguration)
    }

    private let kind: Kind
    /// The share of Redis' `maxmemory` at which new tasks are refused, whichever bus carries them.
    package let memoryPercent: Int
    /// Redis for everything but messages. The embedded bus' own server unless `CARILLON_REDIS` names another.
    package let redis: RedisConfiguration

    /// For logs: built from the parsed address, so that it cannot contain credentials.
    package var address: String {
        switch kind {
        case .kafka(let kafka): "kafka://" + kafka.brokers.joined(separator: ",")
        case .redis(let redis, _):
            (redis.tls == nil ? "redis://" : "rediss://") + redis.addresses.map(\.description).joined(separator: ",")
        }
    }

    package init(environment: inout EnvironmentReader) {
        let url = environment.text(
            "CARILLON_BUS", default: "redis://127.0.0.1:6379",
            meaning: "The bus: redis://HOST:PORT for the embedded bus, kafka://HOST:PORT,HOST:PORT for Kafka.")
        let redis = RedisConfiguration(environment: &environment, isBusSecured: url.hasPrefix("rediss://"))
        let embedded = RedisBusConfiguration(environment: &environment)
        memoryPercent = embedded.memoryPercentMaximum
        // Read for both kinds of bus, so that `--help` lists every variable.
        let isKafka = url.hasPrefix("kafka://")
        let kafka = KafkaConfiguration(url: isKafka ? url : "kafka://unused:9092", environment: &environment)
        if isKafka {
            kafka.checkSecurity(&environment)
            kind = .kafka(kafka)
            self.redis = redis
        } else {
            let bus = BusSelection.bus(at: url, like: redis, &environment)
            kind = .redis(bus, embedded)
            self.redis = environment.isSet("CARILLON_REDIS") ? redis : bus
        }
    }

    /// The Kafka cluster, for features that only Kafka has; nil on the embedded bus.
    package var kafka: KafkaConfiguration? {
        guard case .kafka(let configuration) = kind else { return nil }
        return configuration
    }

    package func open(_ environment: WorkerEnvironment) throws(BusError) -> any Bus {
        switch kind {
        case .kafka(let configuration): try KafkaBus(configuration, environment: environment)
        case .redis(let redis, let configuration):
            RedisBus(
                redis: redis, configuration, log: environment.log, metrics: environment.metrics,
                health: environment.health, time: environment.time, random: environment.random)
        }
    }

    /// The bus may use another Redis than the registry, with the same credentials unless its URL contains its own.
    private static func bus(
        at url: String, like redis: RedisConfiguration, _ environment: inout EnvironmentReader
    ) -> RedisConfiguration {
        do {
            var bus = redis
            let parsed = try RedisConfiguration(url: url)
            guard !parsed.isCluster else {
                environment.reject(
                    "CARILLON_BUS", problem: "the embedded bus needs a single Redis, not a cluster",
                    fix: "name one server, or use kafka:// to scale out")
                return redis
            }
            bus.addresses = parsed.addresses
            bus.isCluster = false
            bus.database = parsed.database
            bus.user = parsed.user ?? redis.user
            bus.password = parsed.password ?? redis.password
            bus.tls = parsed.tls == nil ? nil : redis.tlsFiles
            bus.checkUser("CARILLON_BUS", environment: &environment)
            return bus
        } catch {
            environment.reject(
                "CARILLON_BUS", problem: "invalid address: \(error)",
                fix: "set it to redis://HOST:PORT or kafka://HOST:PORT")
            return redis
        }
    }
}
