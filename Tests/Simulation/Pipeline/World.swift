import Bus
import MemoryBus
import MemoryStore
import PushModel
import ServiceKit
import Store
import Synchronization

/// What the processes of a history share: bus, stores, providers and the time.
final class World: Sendable {
    let loop: StepLoop
    let trace: Trace
    let bug: PlantedBug?
    let settings: AppSettings
    /// True if the stores come back with older data. Only then witnesses are watched, which takes many steps.
    let loses: Bool
    /// How long channels are kept after the end of their activity; nil without channels.
    let channelRetention: Duration?
    let bus: MemoryBus
    let provider = SimulatedProvider()
    let endpoint = SimulatedEndpoint()
    let registry: MemoryRegistry
    let endpoints = ActivityEndpoints()
    let ledger: MemoryLedger
    let archive = MemoryTaskArchive()
    let agenda: MemoryTaskAgenda
    let traces: MemoryTaskTraces
    let statistics: MemoryTaskStatistics
    let deviceTasks: MemoryDeviceTasks
    let retries: MemoryRetryIndex
    let outages: MemoryProviderOutages
    let pacing: MemoryPushPacing
    let outbox: MemoryStateOutbox
    let replacements: MemoryTaskReplacements
    let keys: MemoryIdempotencyStore
    let starts: MemoryMessageStarts
    let receipts: MemoryTaskReceipts
    let moments: MemoryUserMoments
    let opens = MemoryUserOpens()
    let witness: WitnessCount
    let registryUse = RegistryUse()
    let snapshots: StoreSnapshots
    /// Empties the stores of work that a rebuild fills again.
    private let emptying: [@Sendable () -> Void]
    private let currentReaders = Mutex<Set<BusReader>>([])
    private let bufferedPeak = Mutex(0)
    private let currentFaults = Mutex(Faults())
    private let fullness = Mutex(false)
    /// Of the store, for what its scripts compare with the time.
    let storeClock: ProcessClock

    init(
        seed: UInt64, settings: AppSettings, loses: Bool, channelRetention: Duration?, bug: PlantedBug?,
        keepsTrace: Bool
    ) {
        let loop = StepLoop(seed: seed)
        let time = ProcessClock(loop)
        let storeTime = ProcessClock(loop)
        storeClock = storeTime
        self.loop = loop
        self.settings = settings
        self.loses = loses
        self.channelRetention = channelRetention
        self.bug = bug
        trace = Trace(keepsLines: keepsTrace)
        bus = MemoryBus(keepsWork: loses, time: time, random: SeededRandomSource(seed: seed))
        let registry = MemoryRegistry(time: time, random: SeededRandomSource(seed: seed))
        self.registry = registry
        ledger = MemoryLedger(time: storeTime, badges: registry)
        agenda = MemoryTaskAgenda(time: storeTime)
        traces = MemoryTaskTraces(time: time)
        statistics = MemoryTaskStatistics(time: time)
        deviceTasks = MemoryDeviceTasks(time: time)
        retries = MemoryRetryIndex(time: storeTime)
        outages = MemoryProviderOutages(time: storeTime)
        pacing = MemoryPushPacing(time: storeTime)
        outbox = MemoryStateOutbox(time: storeTime)
        replacements = MemoryTaskReplacements(time: storeTime)
        keys = MemoryIdempotencyStore(time: storeTime)
        starts = MemoryMessageStarts(time: storeTime)
        receipts = MemoryTaskReceipts(time: storeTime)
        moments = MemoryUserMoments(time: storeTime)
        witness = WitnessCount(time: storeTime)
        let work: [any Revertible] = [ledger, agenda, retries, replacements, moments]
        emptying = work.map { $0.savedState() }
        snapshots = StoreSnapshots(
            work + [
                archive, traces, statistics, deviceTasks, outages, pacing, outbox, keys, starts, receipts, opens,
                witness,
            ])
    }

    func pause(_ duration: Duration) async {
        try? await loop.sleep(until: loop.uptime + duration)
    }

    var faults: Faults {
        get { currentFaults.withLock { $0 } }
        set { currentFaults.withLock { $0 = newValue } }
    }

    /// True if the stores refuse what needs memory.
    var isFull: Bool {
        get { fullness.withLock { $0 } }
        set { fullness.withLock { $0 = newValue } }
    }

    /// As a rebuild does before it recovers the tasks from the bus.
    func removeWork() {
        for empty in emptying { empty() }
        archive.unscheduleAll()
    }

    /// All groups that ever read from the bus.
    var readers: Set<BusReader> { currentReaders.withLock { $0 } }

    /// The most bytes that one consumer ever held, with those in flight.
    var bufferedBytesPeak: Int { bufferedPeak.withLock { $0 } }

    func note(bufferedBytes bytes: Int) {
        bufferedPeak.withLock { $0 = max($0, bytes) }
    }

    func note(_ reader: BusReader) {
        currentReaders.withLock { _ = $0.insert(reader) }
    }
}
