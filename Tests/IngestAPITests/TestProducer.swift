import Bus
import JSONKit
import PushModel
import Synchronization
import TaskModel
import Topics

/// A producer that records the sent messages, or fails on demand.
final class TestProducer: BusProducer {
    private struct State {
        var sent: [OutgoingMessage] = []
        var fault: BusError?
        /// Runs with the messages of a failed send.
        var meanwhile: @Sendable ([OutgoingMessage]) -> Void = { _ in }
        /// Number of sends that succeed before the fault.
        var remaining = 0
        var refusals = 0
    }

    private let state = Mutex(State())

    func fail(
        with error: BusError?, after count: Int = 0,
        meanwhile: @escaping @Sendable ([OutgoingMessage]) -> Void = { _ in }
    ) {
        state.withLock { state in
            state.fault = error
            state.meanwhile = meanwhile
            state.remaining = count
        }
    }

    func send(_ messages: [OutgoingMessage]) async throws(BusError) -> [MessagePosition] {
        try messages.checkSizes()
        return try state.withLock { state throws(BusError) in
            if let fault = state.fault, state.remaining == 0 {
                state.refusals += 1
                state.meanwhile(messages)
                throw fault
            }
            state.remaining -= 1
            state.sent += messages
            return messages.map { _ in MessagePosition(partition: 0, offset: 0) }
        }
    }

    func close() async {}

    /// Number of sends that failed.
    var refusals: Int { state.withLock { $0.refusals } }

    var sent: [OutgoingMessage] { state.withLock { $0.sent } }

    var tasks: [PushTask] {
        messages.compactMap { message in
            guard case .task(let task) = message else { return nil }
            return task
        }
    }

    var parts: [TaskPart] {
        messages.compactMap { message in
            guard case .part(let part) = message else { return nil }
            return part
        }
    }

    /// The records of tasks that are to be sent later.
    var schedules: [ScheduleRecord] {
        sent.filter { $0.channel == Topics.schedules.channel }.compactMap { try? ScheduleRecord(decoding: $0.value) }
    }

    /// Parts of long lists, which are not on `tasks`.
    var longParts: [TaskPart] {
        sent.filter { $0.channel == Topics.lists.channel }.compactMap { sent in
            guard case .part(let part)? = try? TaskMessage(decoding: sent.value) else { return nil }
            return part
        }
    }

    /// The messages on `tasks`, decoded as by their consumers.
    var messages: [TaskMessage] {
        sent.filter { $0.channel == Topics.tasks.channel }.compactMap { try? TaskMessage(decoding: $0.value) }
    }
}
