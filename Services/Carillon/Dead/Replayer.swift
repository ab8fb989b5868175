import Bus
import CommandKit
import Topics

/// Sends letters to their topics in batches, and marks each once it is durable there.
struct Replayer {
    private static let batchMessages = 200
    private static let batchBytes = 1 << 20

    private(set) var failures = 0
    private let producer: any BusProducer
    private let terminal: any Terminal
    private let isDryRun: Bool
    private var batch: [(message: OutgoingMessage, mark: ReplayMark)] = []
    private var batchCost = 0
    private var replayed: [String: Int] = [:]

    init(_ producer: any BusProducer, terminal: any Terminal, isDryRun: Bool) {
        self.producer = producer
        self.terminal = terminal
        self.isDryRun = isDryRun
    }

    mutating func take(_ position: DeadPosition, record: DeadRecord) async throws(BusError) {
        guard case .letter(let letter) = record else { return refuse(position, reason: "it is not a dead letter") }
        guard letter.isWhole else {
            return refuse(position, reason: "it was too large and is stored without its value")
        }
        guard let message = letter.replay(into: Topics.channel(named: letter.channel)) else {
            let channel = VisibleBytes(isRaw: false).line(letter.channel, charactersMaximum: 80)
            return refuse(position, reason: "unknown topic \(channel)")
        }
        batch.append((message, ReplayMark(position, key: letter.key)))
        batchCost += message.cost
        if batch.count >= Replayer.batchMessages || batchCost >= Replayer.batchBytes { try await flush() }
    }

    /// Marks are sent last: a missing mark causes at most a duplicate, a mark sent too early would lose the letter.
    mutating func flush() async throws(BusError) {
        guard !batch.isEmpty else { return }
        if isDryRun {
            for (message, mark) in batch { terminal.print("\(mark.position) would go to \(message.channel.name)") }
        } else {
            try await producer.send(batch.map(\.message))
            try await producer.send(batch.map(\.mark.outgoing))
        }
        for (message, _) in batch { replayed[message.channel.name, default: 0] += 1 }
        batch = []
        batchCost = 0
    }

    mutating func refuse(_ position: DeadPosition, reason: String) {
        failures += 1
        terminal.complain("\(position) cannot be replayed: \(reason)")
    }

    func close() async {
        await producer.close()
    }

    /// `replayed 3 messages (2 to audience.fast, 1 to results)`
    var summary: String {
        let count = replayed.values.reduce(0, +)
        let parts = replayed.sorted { $0.key < $1.key }.map { "\($0.value) to \($0.key)" }
        let verb = isDryRun ? "would replay" : "replayed"
        return "\(verb) \(Replayer.messages(count))"
            + (parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))")
            + (failures == 0 ? "" : "; \(failures) could not be replayed")
    }

    static func messages(_ count: Int) -> String {
        count == 1 ? "1 message" : "\(count) messages"
    }
}
