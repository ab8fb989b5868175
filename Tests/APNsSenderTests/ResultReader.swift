import Bus
import JSONKit
import ServiceKit
import TestSupport
import Topics

/// Reads `results` as the reporter does, dropping repeats by their id.
struct ResultReader {
    private let consumer: any BusConsumer
    private(set) var states: [String: String] = [:]

    init(_ bus: any Bus) async throws {
        consumer = try await bus.makeConsumer(ConsumerOptions(channel: Topics.results.channel, group: "test"))
    }

    /// Reads until that many devices have ended; false when no more come.
    mutating func read(_ count: Int) async throws -> Bool {
        let timer = Task { [consumer] in
            try await SystemTimeSource().sleep(for: .seconds(90))
            consumer.stopTaking()
        }
        defer { timer.cancel() }
        while states.count < count, let delivery = await consumer.next() {
            for message in delivery.messages { try take(message.value) }
            consumer.complete(delivery)
        }
        return states.count == count
    }

    func close() async {
        consumer.stopTaking()
        await consumer.close()
    }

    private mutating func take(_ bytes: [UInt8]) throws {
        for result in try JSON(bytes)["results"]?.elements ?? [] {
            guard let id = result["id"]?.text, let state = result["state"]?.text else { continue }
            states[id] = state
        }
    }
}
