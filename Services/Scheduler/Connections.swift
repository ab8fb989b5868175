import Bus
import RedisClient
import ServiceKit

/// What the service's parts share; closed when they have all stopped.
struct Connections: Service {
    let name = "connections"
    let producer: any BusProducer
    let redis: RedisClient
    private let stopped = OneTimeEvent()

    init(producer: any BusProducer, redis: RedisClient) {
        self.producer = producer
        self.redis = redis
    }

    func run() async {
        await stopped.wait()
        await producer.close()
        await redis.close()
    }

    func stop() {
        stopped.happen()
    }
}
