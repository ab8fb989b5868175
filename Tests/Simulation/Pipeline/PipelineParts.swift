import Bus
import MemoryStore
import ProviderKit
import PushModel
import ServiceKit
import Store
import TaskKit
import Topics

/// Bus and stores as one process sees them.
struct PipelineParts: Sendable {
    let seam: Seam
    let bus: SimulatedBus
    let environment: WorkerEnvironment
    let witness: SimulatedWitness
    private let gate = HandlingGate()

    init(_ seam: Seam) {
        self.seam = seam
        bus = SimulatedBus(base: seam.world.bus, seam: seam)
        witness = SimulatedWitness(seam)
        environment = WorkerEnvironment(
            time: seam.clock, random: SeededRandomSource(seed: seam.seed()),
            log: Log(service: seam.name, level: .warning, sink: TraceSink(seam: seam), time: seam.clock),
            metrics: Metrics(), health: Health(time: seam.clock))
    }

    var world: World { seam.world }
    var registry: SimulatedRegistry { SimulatedRegistry(base: world.registry, seam: seam) }
    var ledger: SimulatedLedger { SimulatedLedger(base: world.ledger, seam: seam, witness: witness) }
    var archive: SimulatedTaskArchive { SimulatedTaskArchive(base: world.archive, seam: seam) }
    var agenda: SimulatedTaskAgenda { SimulatedTaskAgenda(base: world.agenda, seam: seam) }
    var retries: SimulatedRetryIndex { SimulatedRetryIndex(base: world.retries, seam: seam) }
    var outages: SimulatedProviderOutages { SimulatedProviderOutages(base: world.outages, seam: seam) }
    var moments: SimulatedUserMoments { SimulatedUserMoments(base: world.moments, seam: seam) }
    var receipts: SimulatedTaskReceipts { SimulatedTaskReceipts(base: world.receipts, seam: seam) }
    var pacing: SimulatedPushPacing { SimulatedPushPacing(base: world.pacing, seam: seam) }
    var replacements: SimulatedTaskReplacements {
        SimulatedTaskReplacements(base: world.replacements, seam: seam)
    }

    func producer(patience: Duration = .seconds(30)) async throws(BusError) -> any BusProducer {
        try await bus.makeProducer(ProducerOptions(patience: patience))
    }

    func worker<Handler: MessageHandler>(_ options: ConsumerOptions, handler: Handler) async throws -> any Service {
        Worker(
            channel: options.channel, group: options.group, handler: handler, options: WorkerOptions(),
            consumer: try await bus.makeConsumer(options), producer: try await producer(),
            protection: CrashProtection(
                starts: SimulatedMessageStarts(base: world.starts, seam: seam), gate: gate),
            environment: environment)
    }
}

/// Log lines of warnings and errors are part of the trace.
private struct TraceSink: LogSink {
    let seam: Seam

    func write(line: String) {
        seam.world.trace.note(seam.world.loop.milliseconds, event: "\(seam.name) \(line)")
    }
}
