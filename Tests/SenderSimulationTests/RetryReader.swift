import Bus
import PushModel
import TestSupport
import Topics

/// Reads the retries that senders produce, as the scheduler does.
struct RetryReader {
    private let reader: ChannelReader
    private var orders: [TaskID: [RetryOrder]] = [:]

    init(_ bus: any Bus) async throws {
        reader = try await ChannelReader(bus, channel: Topics.retries.channel(.bulk))
    }

    func devices(of task: TaskID) -> Int {
        orders[task, default: []].reduce(0) { $0 + $1.devices.count }
    }

    /// Returns the first order of a task with one device, whether read already or still to come; nil when none arrives.
    mutating func order(of task: TaskID) async throws -> RetryOrder? {
        try await read(1, of: task) ? orders[task]?.first : nil
    }

    /// Reads until `count` devices of the task are to be retried; false when no more come.
    mutating func read(_ count: Int, of task: TaskID, within limit: Duration = .hangLimit) async throws -> Bool {
        try await reader.read(within: limit, until: { devices(of: task) >= count }) { message in
            let order = try RetryOrder(decoding: message.value)
            orders[order.task, default: []].append(order)
        }
    }

    func close() async {
        await reader.close()
    }
}
