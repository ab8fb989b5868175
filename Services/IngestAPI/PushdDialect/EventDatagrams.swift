import Datagrams
import PushModel
import ServiceKit

/// Events over UDP: received on a thread of their own, queued, and made durable in batches. Nothing is ever answered. A
/// drain makes durable what was queued.
final class EventDatagrams: Service {
    typealias Purge = @Sendable (TopicName, AppID) async throws -> Void

    static let contentBytesMaximum = 64 << 10
    private static let kernelInterval = Duration.seconds(1)

    let name = "events over UDP"
    private let receiver: DatagramReceiver
    private let queue: EventQueue
    private let acceptance: EventAcceptance
    private let meters: EventMeters
    private let time: any TimeSource
    private let stopped = OneTimeEvent()

    /// Binds the port.
    init(
        _ settings: DatagramSettings, gate: EventGate, acceptance: EventAcceptance, meters: EventMeters,
        time: any TimeSource
    ) throws {
        let queue = EventQueue()
        receiver = try DatagramReceiver(
            address: settings.address, port: settings.port, contentBytesMaximum: EventDatagrams.contentBytesMaximum
        ) { datagram in
            do throws(EventGate.Refusal) {
                if !queue.add(try gate.admit(datagram)) { meters.count(.queueFull) }
            } catch {
                meters.count(error)
            }
        }
        self.queue = queue
        self.acceptance = acceptance
        self.meters = meters
        self.time = time
    }

    var port: UInt16 { receiver.port }

    /// Number of queued events.
    var waiting: Int { queue.count }

    func run() async throws {
        receiver.start()
        await withDiscardingTaskGroup { group in
            group.addTask { [self] in await watchKernel() }
            group.addTask { [self] in
                await stopped.wait()
                await receiver.stop()
                queue.close()
            }
            await acceptAll()
            // Empty unless the drain's time is over.
            meters.count(.lost, by: waiting)
        }
    }

    func stop() {
        stopped.happen()
    }

    private func acceptAll() async {
        await withTaskGroup(of: Void.self) { group in
            var open = 0
            while true {
                // A batch is taken when it can be written: the longer the wait, the fewer and larger the batches.
                if open == DatagramAccess.batchesAtOnce {
                    await group.next()
                    open -= 1
                }
                let batch = await queue.take(atMost: DatagramAccess.batchMaximum)
                guard !batch.isEmpty else { return }
                meters.queued(waiting)
                group.addTask { [acceptance] in await acceptance.accept(batch) }
                open += 1
            }
        }
    }

    /// The kernel counts what it dropped before this process could read it.
    private func watchKernel() async {
        var known = 0
        while true {
            let isLast = await stopped.wait(atMost: EventDatagrams.kernelInterval, time: time)
            let dropped = receiver.droppedByKernel
            meters.count(.kernel, by: dropped - known)
            known = dropped
            if isLast || Task.isCancelled { return }
        }
    }
}
