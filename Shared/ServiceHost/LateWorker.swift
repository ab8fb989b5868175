import Bus
import RedisClient
import RedisStore
import ServiceKit
import Store
import Synchronization
import Topics

/// A worker whose consumer joins its group last, when the rest of the service is ready.
final class LateWorker<Handler: MessageHandler>: Service {
    private struct State {
        var consumer: (any BusConsumer)?
        var worker: Worker<Handler>?
        var opening: Task<Worker<Handler>, any Error>?
        var isStopped = false
    }

    let name: String
    private let options: ConsumerOptions
    private let workerOptions: WorkerOptions
    private let handler: Handler
    private let context: ServiceContext
    private let state = Mutex(State())

    init(_ options: ConsumerOptions, workerOptions: WorkerOptions, handler: Handler, context: ServiceContext) {
        name = "worker \(options.group) of \(options.channel.name)"
        self.options = options
        self.workerOptions = workerOptions
        self.handler = handler
        self.context = context
        context.environment.health.addReadinessCheck("\(options.group) on \(options.channel.name)") { [weak self] in
            self?.state.withLock { $0.consumer?.hasJoined } == true ? .ready : .notReady("not in its group yet")
        }
    }

    func run() async throws {
        // A separate connection: it has few commands, which should not queue behind those of the handlers.
        let redis = context.makeRedisClient(connections: 1)
        do {
            try await run(countingStartsIn: RedisMessageStarts(StoreConnection(redis)))
        } catch {
            await redis.close()
            throw error
        }
        await redis.close()
    }

    private func run(countingStartsIn starts: any MessageStarts) async throws {
        let opening = Task { try await open(starts) }
        let isStopped = state.withLock { state in
            state.opening = opening
            return state.isStopped
        }
        if isStopped { opening.cancel() }
        do {
            let worker = try await withTaskCancellationHandler {
                try await opening.value
            } onCancel: {
                opening.cancel()
            }
            try await worker.run()
        } catch is CancellationError {
            return
        }
    }

    /// Cancels the wait for the bus, or stops the worker.
    func stop() {
        let (opening, worker) = state.withLock { state in
            state.isStopped = true
            return (state.opening, state.worker)
        }
        opening?.cancel()
        worker?.stop()
    }

    /// The consumer is created last, since partitions are assigned to it from then on.
    private func open(_ starts: any MessageStarts) async throws -> Worker<Handler> {
        let (bus, options) = (context.bus, options)
        let producer = try await context.untilReachable { try await bus.makeProducer(ProducerOptions()) }
        let consumer: any BusConsumer
        do {
            consumer = try await context.untilReachable { try await bus.makeConsumer(options) }
        } catch {
            await producer.close()
            throw error
        }
        let worker = Worker(
            channel: options.channel, group: options.group, handler: handler, options: workerOptions,
            consumer: consumer, producer: producer,
            protection: CrashProtection(starts: starts, gate: context.gate), environment: context.environment)
        let isStopped = state.withLock { state in
            state.consumer = consumer
            state.worker = worker
            return state.isStopped
        }
        if isStopped { worker.stop() }
        return worker
    }
}
