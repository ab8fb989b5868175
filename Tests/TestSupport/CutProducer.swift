package import Bus

/// A producer that may crash before or after it sends.
package struct CutProducer: BusProducer {
    private let producer: any BusProducer
    private let scissors: Scissors

    package init(_ producer: any BusProducer, scissors: Scissors) {
        self.producer = producer
        self.scissors = scissors
    }

    package func send(_ messages: [OutgoingMessage]) async throws(BusError) -> [MessagePosition] {
        do {
            try scissors.pass()
            let positions = try await producer.send(messages)
            try scissors.pass()
            return positions
        } catch {
            throw BusError(.unavailable, message: "\(error)")
        }
    }

    package func close() async {
        await producer.close()
    }
}
