import PushModel
import ServiceKit

@testable import Bus
@testable import RegistryLog
@testable import TaskModel
@testable import Topics

/// Every message of the bus: decoding arbitrary bytes never traps, and a decoded message is unchanged by a round trip.
enum MessageTargets {
    /// The packed messages. The first byte selects the type.
    static func chunks(_ bytes: [UInt8]) throws {
        var input = FuzzInput(bytes)
        let kind = input.number(below: 4)
        let message = input.remainder()
        switch kind {
        case 0: try roundTrip(AudienceChunk.self, message).map(check)
        case 1: try roundTrip(DispatchChunk.self, message).map(check)
        case 2: try roundTrip(RetryOrder.self, message).map(check)
        default: try roundTrip(SegmentJob.self, message).map(check)
        }
    }

    /// The JSON messages. The first byte selects the type.
    static func messages(_ bytes: [UInt8]) throws {
        var input = FuzzInput(bytes)
        let kind = input.number(below: 9)
        let message = input.remainder()
        switch kind {
        case 0: try roundTrip(TaskMessage.self, message).map(check)
        case 1: try results(message)
        case 2: try roundTrip(TaskReport.self, message).map { _ = $0.targeted }
        case 3: try roundTrip(WebhookPost.self, message).map { _ = $0.app }
        case 4: try roundTrip(DeviceFeedback.self, message).map { _ = $0.key }
        case 5: try roundTrip(ReceiptBatch.self, message).map { _ = $0.event }
        case 6: try roundTrip(ListenerEvent.self, message).map { _ = $0.key }
        case 7: try roundTrip(StatusNotice.self, message)
        default: try roundTrip(OpaqueMessage.self, message)
        }
    }

    @discardableResult
    private static func roundTrip<Message: TopicMessage & Equatable>(
        _: Message.Type, _ bytes: [UInt8]
    ) throws -> Message? {
        guard let message = try? Message(decoding: bytes) else { return nil }
        _ = message.event
        let encoded = message.encoded()
        guard let again = try? Message(decoding: encoded) else {
            throw FuzzError(description: "an encoded \(Message.self) is not decodable")
        }
        try FuzzError.check(again == message, message: "a \(Message.self) reads back differently")
        return again
    }

    private static func check(_ chunk: AudienceChunk) throws {
        try FuzzError.check(chunk.deviceCount <= AudienceChunk.devicesMaximum, message: "too many devices")
        for devices in chunk.segments {
            for position in 0..<devices.count { _ = devices.device(at: position) }
        }
    }

    private static func check(_ chunk: DispatchChunk) throws {
        try FuzzError.check(chunk.deviceCount <= DispatchChunk.devicesMaximum, message: "too many devices")
        // Senders compare the deadline with the clock.
        _ = Timestamp(milliseconds: chunk.deadline) - Timestamp(milliseconds: 1_800_000_000_000)
        for devices in chunk.segments {
            for position in 0..<devices.count {
                _ = devices.id(at: position)
                _ = chunk.variants[Int(devices.variants[position])].payload.slots.count
            }
        }
    }

    private static func check(_ order: RetryOrder) throws {
        _ = Timestamp(milliseconds: order.due) - Timestamp(milliseconds: 1_800_000_000_000)
        let parts = order.parts(of: 100)
        try FuzzError.check(parts.flatMap(\.devices) == order.devices, message: "parts lose devices")
    }

    /// The following jobs can be encoded as well.
    private static func check(_ job: SegmentJob) throws {
        var next = job.next
        for _ in 0..<3 {
            guard let job = next else { return }
            try FuzzError.check(
                try SegmentJob(decoding: job.encoded()) == job, message: "the next job reads back differently")
            next = job.next
        }
    }

    private static func check(_ message: TaskMessage) throws {
        guard case .task(let task) = message else { return }
        _ = task.deadline
        _ = task.content.targetedPlatforms
    }

    /// The scanner and the parser agree.
    private static func results(_ bytes: [UInt8]) throws {
        if let fast = ResultScanner.batch(bytes) {
            let parsed = try? ResultBatch(parsing: bytes)
            try FuzzError.check(parsed == fast, message: "scanner and parser read different results")
        }
        guard let batch = try roundTrip(ResultBatch.self, bytes) else { return }
        _ = batch.key
        guard let result = batch.results.first else { return }
        let feedback = DeviceFeedback(result, cause: .failures, of: batch.task, app: batch.app, at: batch.time)
        _ = try roundTrip(DeviceFeedback.self, feedback.encoded())
    }
}
