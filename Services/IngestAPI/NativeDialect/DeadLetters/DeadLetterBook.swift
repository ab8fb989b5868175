import Bus
import PushModel
import ServiceKit
import Store
import TaskKit

/// Reads and replays the dead letters of an app: those whose key names one of its tasks, as long as the task is known.
struct DeadLetterBook: Sendable {
    /// Of the letters of all apps, the newest are looked through. Bounds memory and the number of tasks to look up.
    static let lettersMaximum = 4_000

    private static let lookupsAtOnce = 16

    private let bus: any Bus
    private let producer: any BusProducer
    private let tasks: TaskBook
    private let turn = DeadLetterTurn()

    init(bus: any Bus, producer: any BusProducer, tasks: TaskBook) {
        self.bus = bus
        self.producer = producer
        self.tasks = tasks
    }

    /// Newest first.
    func list(of app: AppID, limit: Int) async throws -> DeadLetterList {
        try await turn.run {
            let scanned = try await scan()
            let own = try await ownTasks(among: scanned.tasks, of: app)
            return scanned.list(of: own, limit: limit)
        }
    }

    func letter(at position: DeadPosition, of app: AppID) async throws -> DeadLetterDetails {
        try await turn.run {
            guard let found = try await find(position) else { throw TaskError.unknownLetter }
            guard try await owns(found.letter.task, app: app) else { throw TaskError.unknownLetter }
            return found
        }
    }

    /// A letter of another app is refused as if it did not exist. After an error some letters may be sent, which a
    /// repeat sends again.
    func replay(_ positions: Set<DeadPosition>, of app: AppID) async throws -> ReplayedLetters {
        try await turn.run {
            var replay = LetterReplay(of: positions)
            try await bus.scanDead { message, record in
                guard replay.awaits(DeadPosition(of: message)) else { return true }
                let isOwn = try await owns(message.key.flatMap { TaskID(messageKey: $0) }, app: app)
                replay.take(message, record: record, isOwn: isOwn)
                if replay.batch.isFull { try await send(&replay) }
                return !replay.isComplete
            }
            try await send(&replay)
            replay.refuseMissing()
            return replay.outcome
        }
    }

    private func send(_ replay: inout LetterReplay) async throws(BusError) {
        guard !replay.batch.isEmpty else { return }
        try await replay.batch.send(with: producer)
        replay.noteSent()
    }

    private func scan() async throws -> ScannedLetters {
        var scanned = ScannedLetters(limit: DeadLetterBook.lettersMaximum)
        try await bus.scanDead { message, record in
            scanned.add(message, record: record)
            return true
        }
        return scanned
    }

    /// Reads to the end, where the mark of a replay may be.
    private func find(_ position: DeadPosition) async throws -> DeadLetterDetails? {
        var found: DeadLetterDetails?
        try await bus.scanDead { message, record in
            switch record {
            case .letter(let letter) where DeadPosition(of: message) == position:
                found = DeadLetterDetails(message, letter: letter)
            case .mark(position): found?.letter.isReplayed = true
            default: break
            }
            return true
        }
        return found
    }

    private func ownTasks(among tasks: Set<TaskID>, of app: AppID) async throws -> Set<TaskID> {
        let checked = try await Array(tasks).concurrentMap(atOnce: DeadLetterBook.lookupsAtOnce) { task in
            OwnedTask(task: task, isOwn: try await owns(task, app: app))
        }
        return Set(checked.lazy.filter(\.isOwn).map(\.task))
    }

    private struct OwnedTask: Sendable {
        let task: TaskID
        let isOwn: Bool
    }

    /// A task that cannot be decoded belongs to no app.
    private func owns(_ task: TaskID?, app: AppID) async throws -> Bool {
        guard let task else { return false }
        do {
            _ = try await tasks.task(task, of: app)
            return true
        } catch TaskError.unknownTask {
            return false
        } catch let error as StoreError where error.code == .corrupt {
            return false
        }
    }
}
