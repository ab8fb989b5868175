import Bus
import PushModel
import ServiceKit
import Topics

/// Reads what senders hand back, as the scheduler does.
struct RetryReader {
    private let consumer: any BusConsumer
    private var orders: [TaskID: [RetryOrder]] = [:]

    init(_ bus: any Bus) async throws {
        consumer = try await bus.makeConsumer(
            ConsumerOptions(channel: Topics.retries.channel(.bulk), group: "test"))
    }

    func devices(of task: TaskID) -> Int {
        orders[task, default: []].reduce(0) { $0 + $1.devices.count }
    }

    /// The first order of a task that has one device, read already or to come; nil when none does.
    mutating func order(of task: TaskID) async throws -> RetryOrder? {
        try await read(1, of: task, within: .seconds(30)) ? orders[task]?.first : nil
    }

    /// Reads until that many of the task's devices were handed back; false when no more are.
    mutating func read(_ count: Int, of task: TaskID, within limit: Duration = .seconds(90)) async throws -> Bool {
        let timer = Task { [consumer] in
            try await SystemTimeSource().sleep(for: limit)
            consumer.stopTaking()
        }
        defer { timer.cancel() }
        while devices(of: task) < count, let delivery = await consumer.next() {
            for message in delivery.messages {
                let order = try RetryOrder(decoding: message.value)
                orders[order.task, default: []].append(order)
            }
            consumer.complete(delivery)
        }
        return devices(of: task) >= count
    }

    func close() async {
        consumer.stopTaking()
        await consumer.close()
    }
}
