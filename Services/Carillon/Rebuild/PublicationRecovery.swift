import Bus
import PushModel
import RegistryLog
import ServiceKit
import Store
import TaskKit
import TaskModel
import Topics

/// Counts the publications on `tasks` that the recorded counts of topics do not have yet.
///
/// Memory holds the ids of tasks that may be in two messages.
struct PublicationRecovery {
    private static let countedAtOnce = 500

    private let bus: any Bus
    private let refill: any RegistryRefill
    private let patience: StorePatience
    private var known: Set<TaskID> = []
    private var uncounted: [Publication.Place: [TopicPublication]] = [:]
    private var uncountedCount = 0

    init(bus: any Bus, refill: any RegistryRefill, environment: WorkerEnvironment) {
        self.bus = bus
        self.refill = refill
        patience = StorePatience(environment)
    }

    mutating func run() async throws {
        var recovery = self
        try await bus.scan(Topics.tasks.channel) { message in
            // Other recoveries report unreadable messages.
            guard let task = try? TaskMessage(decoding: message.value) else { return true }
            try await recovery.take(task, origin: message)
            return true
        }
        try await recovery.count()
        self = recovery
    }

    private mutating func take(_ message: TaskMessage, origin: IncomingMessage) async throws {
        guard let publication = Publication(message, origin: origin), isNew(publication) else { return }
        uncounted[publication.place, default: []].append(publication.counted)
        uncountedCount += 1
        if uncountedCount == PublicationRecovery.countedAtOnce { try await count() }
    }

    private mutating func isNew(_ publication: Publication) -> Bool {
        guard publication.mayComeTwice else { return !publication.isLate }
        return known.insert(publication.task.id).inserted
    }

    private mutating func count() async throws {
        for (place, publications) in uncounted {
            try await patience.perform {
                try await refill.count(publications, from: place.partition, in: place.app)
            }
        }
        uncounted = [:]
        uncountedCount = 0
    }
}
