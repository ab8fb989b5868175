import Glibc
import PushModel
import TestSupport
import Testing
import Topics

/// Goal: whichever process is killed at whatever time, every device ends once. Method: two of each service, one task
/// after another for the requested time; processes and Redis are killed at random times; each report is compared with
/// the simulator's own count. `make soak MINUTES=10` runs it.
@Suite(.enabled(if: Soak.minutes != nil), .serialized) struct SoakTests {
    @Test(arguments: Soak.buses)
    func randomDeathsLoseNothing(_ bus: Harness.BusKind) async throws {
        var soak = try await Soak(bus)
        let end = ContinuousClock.now + .seconds(60 * (Soak.minutes ?? 0))
        while ContinuousClock.now < end { try await soak.round() }
        soak.sum()
        try await soak.harness.close()
    }
}

private struct Soak {
    static let minutes = variable("SOAK_MINUTES").flatMap { Int($0) }
    /// All buses, or the one in SOAK_BUS for runs that cannot use Kafka.
    static let buses = Harness.BusKind.allCases.filter { variable("SOAK_BUS") ?? "\($0)" == "\($0)" }
    private static let devices = 10_000
    /// Pushes in flight per process, according to the settings.
    private static let inFlight = ["apns-sender": 200, "android-sender": 200 + 500]
    private static let redis = "redis-server"
    private static let settings = [
        "CARILLON_APNS_CONCURRENCY": "1", "CARILLON_APNS_IN_FLIGHT": "200",
        "CARILLON_ANDROID_CONCURRENCY": "1", "CARILLON_FCM_IN_FLIGHT": "200", "CARILLON_HUAWEI_IN_FLIGHT": "500",
        "CARILLON_KAFKA_FETCH_WAIT_MAX_MS": "50",
    ]

    let harness: Harness
    private let bus: Harness.BusKind
    private let seed: UInt64
    private var dice: Dice
    private var rounds = 0
    private var deaths: [String: Int] = [:]
    private var repeats = 0
    private var unknown = 0

    init(_ bus: Harness.BusKind) async throws {
        self.bus = bus
        seed = Soak.variable("SOAK_SEED").flatMap { UInt64($0) } ?? .random(in: 1 ... .max)
        dice = Dice(seed: seed)
        harness = try await Harness(
            bus, changes: Soak.settings, instances: Dictionary(uniqueKeysWithValues: Harness.services.map { ($0, 2) }))
        _ = try await harness.ingest.register(TestDevice.mixture(Soak.devices))
        try await harness.slowProviders()
    }

    mutating func round() async throws {
        rounds += 1
        try await harness.simulator.admin("DELETE", "/stats")
        let mayRepeat = dice.chance(2, of: 3)
        let options = mayRepeat ? "" : #","options":{"ambiguous":"at_most_once"}"#
        let task = try await harness.ingest.post(
            #"{"audience":{"topic":"news"},"message":{"body":"There"}\#(options)}"#)
        var victims: [String] = []
        for _ in 0..<(1 + dice.number(below: 4)) { victims.append(try await killOne(of: task)) }
        let story: Comment = "\(bus), seed \(seed), round \(rounds), \(mayRepeat ? "" : "at_most_once, ")\(victims)"
        let report = try #require(
            await harness.reports.report(of: task, within: .seconds(300)), "\(story): \(harness.lines)")
        let (distinct, repeated) = (try await harness.sum("distinct_devices"), try await harness.sum("repeated"))
        #expect(report.targeted == Soak.devices, story)
        #expect(report[.delivered] + report[.unknown] == Soak.devices, story)
        #expect(distinct >= report[.delivered], story)
        #expect(Set(harness.reports.all(of: task).map(\.id)).count == 1, story)
        #expect(repeated <= (mayRepeat ? Soak.held(by: victims) : 0), story)
        if mayRepeat { #expect(report[.unknown] == 0 && distinct == Soak.devices, story) }
        repeats += repeated
        unknown += report[.unknown]
    }

    /// Kills a process at a random time of the task, or after it.
    private mutating func killOne(of task: TaskID) async throws -> String {
        let moment = 1 + dice.number(below: Soak.devices)
        try await waitUntil { [harness] in
            if try await harness.delivered() >= moment { return true }
            return !harness.reports.all(of: task).isEmpty
        }
        let number = dice.number(below: harness.running.count + 1)
        guard number < harness.running.count else {
            await harness.redis.kill9()
            try await harness.redis.restart()
            return note(Soak.redis)
        }
        let process = harness.running[number]
        await process.kill()
        try await process.start()
        return note(process.name)
    }

    private mutating func note(_ victim: String) -> String {
        deaths[victim, default: 0] += 1
        return victim
    }

    func sum() {
        let dead = deaths.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        print("soak: \(bus), seed \(seed): \(rounds) tasks for \(Soak.devices) devices, deaths: \(dead);")
        print("soak: 0 lost, \(repeats) repeats that providers can recognise, \(unknown) unknown of at_most_once")
    }

    /// Pushes in flight may have been answered without being in the ledger yet. A killed Redis affects all senders.
    private static func held(by victims: [String]) -> Int {
        let all = inFlight.values.reduce(0, +) * 2
        return 2 * victims.reduce(0) { $0 + ($1 == redis ? all : inFlight[$1, default: 0]) }
    }

    private static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }
}
