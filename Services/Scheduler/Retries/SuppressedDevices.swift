import Bus
import PushModel
import ServiceKit
import Store
import TaskKit
import Topics

/// Ends devices in the ledger that were removed from the registry while they waited, or must not be sent to any more.
struct SuppressedDevices: Sendable {
    static let removed = "removed"

    struct Ending: Sendable {
        let results: [OutgoingMessage]
        let held: RetryGroup
    }

    private let endings: DeviceEndings
    private let time: any TimeSource

    init(ledger: any Ledger, environment: WorkerEnvironment) {
        endings = DeviceEndings(
            ledger: ledger, random: environment.random, log: environment.log,
            ended: environment.metrics.counter(.schedulerDevicesRemoved),
            unledgered: environment.metrics.counter(.schedulerDevicesUnledgered))
        time = environment.time
    }

    func end(_ gone: RetryGroup, reason: String) async throws -> Ending {
        let ending = try await endings.end(
            DeviceEndings.Order(
                task: gone.key.task, segment: gone.key.segment, attempt: gone.key.attempt, timing: gone.key.timing,
                state: .suppressed, reason: reason,
                devices: gone.members.sorted { $0.key < $1.key }.map { offset, member in
                    DeviceEndings.Order.Device(offset: offset, tag: member.tag, provider: member.provider)
                }))
        let messages = ResultBatch.messages(
            ending.results, of: gone.key.task, app: gone.key.segment.app, at: time.now)
        return Ending(results: messages, held: gone.limited(to: ending.held))
    }
}
