import Bus
import CommandKit
import Topics

/// Sends letters to their topics in batches, and says what became of them.
struct Replayer {
    private(set) var failures = 0
    private let producer: any BusProducer
    private let terminal: any Terminal
    private let isDryRun: Bool
    private var batch = LetterBatch()
    private var replayed: [String: Int] = [:]

    init(_ producer: any BusProducer, terminal: any Terminal, isDryRun: Bool) {
        self.producer = producer
        self.terminal = terminal
        self.isDryRun = isDryRun
    }

    mutating func take(_ position: DeadPosition, record: DeadRecord) async throws(BusError) {
        do throws(LetterRefusal) {
            try batch.add(position, record: record)
        } catch {
            let visible = VisibleBytes(isRaw: false)
            return refuse(position, reason: error.reason { visible.line($0, charactersMaximum: 80) })
        }
        if batch.isFull { try await flush() }
    }

    mutating func flush() async throws(BusError) {
        guard !batch.isEmpty else { return }
        if isDryRun {
            for route in batch.routes { terminal.print("\(route.position) would go to \(route.channel.name)") }
        } else {
            try await batch.send(with: producer)
        }
        for route in batch.routes { replayed[route.channel.name, default: 0] += 1 }
        batch = LetterBatch()
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
