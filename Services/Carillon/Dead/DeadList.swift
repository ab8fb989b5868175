import Bus
import ServiceKit

struct DeadList: Command {
    static let declaration = CommandDeclaration(
        "dead list", "shows the messages that were given up, the newest last",
        options: [limit, .json] + DeadFilter.options + [.bus],
        notes: "REPLAYED says whether the message was sent again; if it dies again, it is listed a second time.")

    private static let limit = CommandOption("--limit", value: "N", "Show the newest N; 50 unless told.")

    private let limit: Int
    private let isJSON: Bool
    private let filter: DeadFilter

    init(_ arguments: CommandArguments) throws(UsageError) {
        limit = try arguments.integer(DeadList.limit, default: 50, in: 1...100_000)
        isJSON = arguments.has(.json)
        filter = try DeadFilter(arguments)
    }

    func run(in surroundings: Surroundings) async throws -> Int32 {
        try await surroundings.withBus { bus in try await run(on: bus, surroundings.console) }
    }

    func run(on bus: any Bus, _ console: any Console) async throws -> Int32 {
        var newest = NewestLetters(limit: limit)
        var replayed: Set<DeadPosition> = []
        var firstForeign: DeadPosition?
        var foreignCount = 0
        try await bus.scanDead { message, record in
            switch record {
            case .letter(let letter) where filter.matches(letter):
                newest.add(ListedLetter(DeadPosition(of: message), buried: message.timestamp, letter))
            case .letter: break
            case .mark(let position): replayed.insert(position)
            case .foreign:
                foreignCount += 1
                if firstForeign == nil { firstForeign = DeadPosition(of: message) }
            }
            return true
        }
        let letters = newest.sorted
        if isJSON {
            for letter in letters { console.print(letter.json(isReplayed: replayed.contains(letter.position))) }
        } else if letters.isEmpty {
            console.print("no dead messages")
        } else {
            console.print(
                Table(
                    header: ListedLetter.header,
                    rows: letters.map { $0.row(isReplayed: replayed.contains($0.position)) }
                ).text)
        }
        if newest.count > letters.count {
            console.complain("the newest \(letters.count) of \(newest.count); --limit N shows more")
        }
        if let firstForeign {
            console.complain("\(foreignCount) on dead are no dead letters; see carillon dead show \(firstForeign)")
        }
        return 0
    }
}

/// Everything the list shows of a letter: without its value, since the topic may hold more than memory.
struct ListedLetter {
    static let header = ["POSITION", "DIED", "CHANNEL", "REASON", "ATTEMPTS", "GROUP", "REPLAYED", "DETAIL"]

    let position: DeadPosition
    let buried: Timestamp
    private let channel: String
    private let origin: DeadPosition
    private let group: String
    private let reason: String
    private let detail: String
    private let attempts: Int
    private let firstSeen: Timestamp
    private let valueBytes: Int

    init(_ position: DeadPosition, buried: Timestamp, _ letter: DeadLetter) {
        self.position = position
        self.buried = buried
        channel = letter.channel
        origin = DeadPosition(partition: letter.partition, offset: letter.offset)
        group = letter.group
        reason = letter.reason.rawValue
        detail = letter.detail
        attempts = letter.attempts
        firstSeen = letter.firstSeen
        valueBytes = letter.value.count
    }

    func row(isReplayed: Bool) -> [String] {
        let visible = VisibleBytes(isRaw: false)
        return [
            position.description, buried.description, visible.line(channel, charactersMaximum: 40), reason,
            String(attempts), visible.line(group, charactersMaximum: 40), isReplayed ? "yes" : "no",
            visible.line(detail, charactersMaximum: 80),
        ]
    }

    func json(isReplayed: Bool) -> String {
        JSONText.object { json in
            json.member("position", position.description)
            json.member("died", buried.description)
            json.member("channel", channel)
            json.member("partition", Int(origin.partition))
            json.member("offset", Int(origin.offset))
            json.member("group", group)
            json.member("reason", reason)
            json.member("detail", Redaction.redact(detail))
            json.member("attempts", attempts)
            json.member("first_seen", firstSeen.description)
            json.member("value_bytes", valueBytes)
            json.member("replayed", isReplayed)
        }
    }
}

/// The newest letters over all partitions, of which each is shown in its own order.
struct NewestLetters {
    private(set) var count = 0
    private let limit: Int
    private var kept: [ListedLetter] = []

    init(limit: Int) {
        self.limit = limit
    }

    mutating func add(_ letter: ListedLetter) {
        count += 1
        kept.append(letter)
        // Twice the limit before it is cut, so that not every letter costs a sort.
        if kept.count >= 2 * limit { kept = sorted }
    }

    var sorted: [ListedLetter] {
        Array(kept.sorted { ($0.buried, $0.position) < ($1.buried, $1.position) }.suffix(limit))
    }
}
