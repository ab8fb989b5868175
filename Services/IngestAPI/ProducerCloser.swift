import Bus
import ServiceKit

/// Closes the producer after all of its users have stopped.
struct ProducerCloser: Service {
    let name = "task producer"
    private let producer: any BusProducer
    private let stopped = OneTimeEvent()

    init(_ producer: any BusProducer) {
        self.producer = producer
    }

    func run() async {
        await stopped.wait()
        await producer.close()
    }

    func stop() {
        stopped.happen()
    }
}
