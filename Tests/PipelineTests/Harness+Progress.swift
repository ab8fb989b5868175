import Bus
import JSONKit
import PushModel
import TestSupport
import Topics

extension Harness {
    static let providers = ["apns", "fcm", "huawei"]

    /// Waits until the simulator has accepted this many pushes, over all providers.
    func hasDelivered(_ count: Int, of task: TaskID? = nil) async throws {
        try await waitUntil { try await delivered(task) >= count }
    }

    /// Accepted pushes of one task, or of all.
    func delivered(_ task: TaskID? = nil) async throws -> Int {
        guard let task else { return try await sum("accepted") }
        return try await arrived("\(task)")
    }

    /// Accepted pushes with this collapse id; by default it is that of the task.
    func arrived(_ collapseID: String) async throws -> Int {
        // A provider's table does not contain tasks from which it got no push.
        return try await Harness.sum(simulator.statistics()) { Harness.integer($0["tasks"]?[collapseID]) ?? 0 }
    }

    /// A count of the simulator, summed over these providers.
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

    /// Waits until this many devices of a task have an outcome, as reported to its publisher.
    func hasEnded(_ count: Int, of task: TaskID) async throws {
        try await waitUntil { try await ended(task) >= count }
    }

    /// Waits until all jobs of a task are resolved.
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

    /// Number of injected faults with this reason for Apple.
    func faults(_ reason: String) async throws -> Int {
        Harness.integer(try await simulator.statistics("apns")["faults"]?[reason]) ?? 0
    }

    /// All messages that are on a topic now.
    func messages(on channel: Channel) async throws -> [IncomingMessage] {
        var messages: [IncomingMessage] = []
        try await bus.scan(channel) { message in
            messages.append(message)
            return true
        }
        return messages
    }

    /// Sends directly to the bus, as any other program may.
    func send(_ messages: [OutgoingMessage]) async throws {
        let producer = try await bus.makeProducer(ProducerOptions())
        try await producer.send(messages)
        await producer.close()
    }

    /// Delays the answers, so that a task can be interrupted.
    func slowProviders(from shortest: String = "5ms", to longest: String = "300ms") async throws {
        for provider in Harness.providers {
            try await simulator.admin(
                "POST", "/faults",
                body: #"{"provider":"\#(provider)","kind":"delay","from":"\#(shortest)","to":"\#(longest)"}"#)
        }
    }
}
