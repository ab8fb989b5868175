import Bus
import PushModel
import TestSupport
import Topics

/// Reads what senders hand back, as the scheduler does.
struct RetryReader {
    private let reader: ChannelReader
    private var orders: [TaskID: [RetryOrder]] = [:]

    init(_ bus: any Bus) async throws {
        reader = try await ChannelReader(bus, channel: Topics.retries.channel(.bulk))
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
        try await reader.read(within: limit, until: { devices(of: task) >= count }) { message in
            let order = try RetryOrder(decoding: message.value)
            orders[order.task, default: []].append(order)
        }
    }

    func close() async {
        await reader.close()
    }
}
