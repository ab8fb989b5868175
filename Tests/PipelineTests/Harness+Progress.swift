import Bus
import JSONKit
import PushModel
import TestSupport
import Topics

extension Harness {
    static let providers = ["apns", "fcm", "huawei"]

    /// Waits until the simulator has taken so many pushes, of all providers.
    func hasDelivered(_ count: Int, of task: TaskID? = nil) async throws {
        try await waitUntil { try await delivered(task) >= count }
    }

    /// Of one task, or of all.
    func delivered(_ task: TaskID? = nil) async throws -> Int {
        guard let task else { return try await sum("accepted") }
        // A task of which a provider has seen nothing is not in its table.
        return try await Harness.sum(simulator.statistics()) { Harness.integer($0["tasks"]?["\(task)"]) ?? 0 }
    }

    /// A number that the simulator counts for each provider, over all of them or for some.
    func sum(_ name: String, providers: [String] = Harness.providers) async throws -> Int {
        try await Harness.sum(simulator.statistics(), providers: providers) { statistics in
            guard let count = Harness.integer(statistics[name]) else {
                throw SetupError(description: "the simulator does not count \(name)")
            }
            return count
        }
    }

    private static func sum(
        _ statistics: JSON, providers: [String] = Harness.providers, count: (JSON) throws -> Int
    ) throws -> Int {
        try providers.reduce(0) { $0 + (try count(statistics[$1] ?? .null)) }
    }

    private static func integer(_ json: JSON?) -> Int? {
        guard case .integer(let number) = json else { return nil }
        return Int(number)
    }

    /// Waits until so many devices of a task have ended, as its publisher sees it.
    func hasEnded(_ count: Int, of task: TaskID) async throws {
        try await waitUntil { try await ended(task) >= count }
    }

    /// Waits until whom a task means is decided.
    func hasResolved(_ task: TaskID) async throws {
        try await waitUntil {
            let jobs = try await ingest.task(task)["jobs"]
            guard let total = Harness.integer(jobs?["total"]), total > 0 else { return false }
            return Harness.integer(jobs?["resolved"]) == total
        }
    }

    func ended(_ task: TaskID) async throws -> Int {
        let counts = try await ingests[ingests.count - 1].task(task)["counts"]
        guard let targeted = Harness.integer(counts?["targeted"]), let open = Harness.integer(counts?["open"]) else {
            return 0
        }
        return targeted - open
    }

    /// How often the simulator has done to Apple's pushes what it was asked to.
    func faults(_ reason: String) async throws -> Int {
        Harness.integer(try await simulator.statistics("apns")["faults"]?[reason]) ?? 0
    }

    /// All that lies on a topic now.
    func messages(on channel: Channel) async throws -> [IncomingMessage] {
        var messages: [IncomingMessage] = []
        try await bus.scan(channel) { message in
            messages.append(message)
            return true
        }
        return messages
    }

    /// Past the services, as any other program may.
    func send(_ messages: [OutgoingMessage]) async throws {
        let producer = try await bus.makeProducer(ProducerOptions())
        try await producer.send(messages)
        await producer.close()
    }

    /// Answers take a while, so that a task can be met in its middle.
    func slowProviders(from shortest: String = "5ms", to longest: String = "300ms") async throws {
        for provider in Harness.providers {
            try await simulator.admin(
                "POST", "/faults",
                body: #"{"provider":"\#(provider)","kind":"delay","from":"\#(shortest)","to":"\#(longest)"}"#)
        }
    }
}
