import Glibc
import HistoryJudge
import PushModel
import ServiceKit
import TestSupport
import Testing

/// A pipeline under kills, and the sums of its rounds.
struct Soak {
    static let minutes = variable("SOAK_MINUTES").flatMap { Int($0) }
    /// All buses, or the one in SOAK_BUS for runs that cannot use Kafka.
    static let buses = Harness.BusKind.allCases.filter { variable("SOAK_BUS") ?? "\($0)" == "\($0)" }
    private static let violationsShown = 20
    private static let settings = [
        "CARILLON_APNS_CONCURRENCY": "1", "CARILLON_APNS_IN_FLIGHT": "\(SoakKill.inFlight["apns"] ?? 0)",
        "CARILLON_ANDROID_CONCURRENCY": "1", "CARILLON_FCM_IN_FLIGHT": "\(SoakKill.inFlight["fcm"] ?? 0)",
        "CARILLON_HUAWEI_IN_FLIGHT": "\(SoakKill.inFlight["huawei"] ?? 0)",
        "CARILLON_KAFKA_FETCH_WAIT_MAX_MS": "50", "CARILLON_INGEST_IDEMPOTENCY_LEASE": "2s",
    ]

    private let harness: Harness
    private let bus: Harness.BusKind
    private let seed: UInt64
    private let devices: SoakDevices
    private let outcomes: Outcomes
    private var dice: Dice
    private var rounds = 0
    private var kills: [SoakKill] = []
    private var tasks = 0
    private var pushes = 0
    private var lost = 0
    private var repeats = 0
    private var unknown = 0

    init(_ bus: Harness.BusKind) async throws {
        self.bus = bus
        seed = Soak.variable("SOAK_SEED").flatMap { UInt64($0) } ?? .random(in: 1 ... .max)
        dice = Dice(seed: seed)
        harness = try await Harness(
            bus, changes: Soak.settings, instances: Dictionary(uniqueKeysWithValues: Harness.services.map { ($0, 2) }),
            simulator: ["CARILLON_SIMULATOR_KEPT_PUSHES": "100000"])
        devices = try await SoakDevices(in: harness)
        outcomes = try await Outcomes(harness.bus)
        // So slow that most kills of a sender find pushes in flight.
        try await harness.slowProviders(from: "100ms", to: "2s")
    }

    mutating func round() async throws {
        rounds += 1
        do {
            try await runRound()
        } catch {
            throw SetupError(description: "\(bus), seed \(seed), round \(rounds): \(error); \(harness.lines)")
        }
    }

    private mutating func runRound() async throws {
        try await harness.simulator.admin("DELETE", "/stats")
        outcomes.forget()
        let plan = SoakPlan(bus, processes: harness.running.count, dice: &dice)
        let publisher = SoakPublisher(harness, devices: devices, round: "\(seed)-\(rounds)")
        async let publishing = publisher.publish(plan.orders)
        let killed = try await SoakKiller(harness).perform(plan.blows)
        let accepted = try await publishing
        let rest = SoakRest(harness, outcomes: outcomes)
        await rest.waitForOutcomes(of: accepted)
        let leftovers = try await rest.leftovers()
        let record = SoakRecord(
            start: plan.start, tasks: accepted, kills: killed, pushes: try await SoakPush.all(of: harness))
        var evidence = record.evidence
        evidence.leftovers = leftovers
        for task in accepted { evidence.reports[task.id] = harness.reports.all(of: task.id) }
        for task in accepted { evidence.outcomes[task.id] = states(of: task.id) }
        evidence.deadLetters = try await rest.deadLetters()
        judge(evidence, record: record)
        #expect(try await harness.sum("repeated") == record.repeats, "\(story(record))")
    }

    /// By number of the device.
    private func states(of task: TaskID) -> [Int: Set<DeliveryState>] {
        Dictionary(outcomes.states(of: task).map { (devices.number(of: $0), $1) }) { $0.union($1) }
    }

    private mutating func judge(_ evidence: Evidence, record: SoakRecord) {
        let violations = Judge.violations(in: evidence)
        let missing = record.lost(outcomes: evidence.outcomes)
        #expect(
            violations.isEmpty,
            "\(violations.count): \(violations.prefix(Soak.violationsShown)); \(story(record)); \(harness.lines)")
        #expect(missing == 0, "\(story(record))")
        #expect(record.belatedPushes == 0, "\(story(record))")
        #expect(record.repeats <= record.inFlight, "\(story(record))")
        tasks += record.tasks.count
        pushes += record.pushes.count
        lost += missing
        repeats += record.repeats
        unknown += evidence.outcomes.values.reduce(0) { $0 + $1.values.count { $0.contains(.unknown) } }
        kills += record.kills
    }

    private func story(_ record: SoakRecord) -> String {
        "\(bus), seed \(seed), round \(rounds): \(record)"
    }

    func close() async throws {
        await outcomes.close()
        try await harness.close()
    }

    var summary: String {
        let victims = Dictionary(grouping: kills, by: \.victim).map { "\($0.key) \($0.value.count)" }
        let inFlight = kills.reduce(0) { $0 + $1.inFlight }
        return "soak: \(bus), seed \(seed): \(tasks) tasks, \(pushes) pushes, \(kills.count) kills "
            + "(\(victims.sorted().joined(separator: ", "))), lost \(lost), repeats \(repeats) of at most \(inFlight) "
            + "in flight, unknown \(unknown)"
    }

    private static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }
}
