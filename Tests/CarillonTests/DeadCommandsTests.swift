import Bus
import CommandKit
import JSONKit
import MemoryBus
import ServiceKit
import Testing
import Topics

@testable import Carillon

/// The commands on the in-process bus: their output, and the messages they send.
@Suite(.timeLimit(.minutes(3))) struct DeadCommandsTests {
    private let bus = MemoryBus(time: SystemTimeSource(), random: SystemRandomSource())
    private let terminal = RecordedTerminal()

    private func bury(
        _ value: String, channel: String = "reports", reason: DeadLetter.Reason = .poison, key: String = "k"
    ) async throws {
        try await bury(Array(value.utf8), channel: channel, reason: reason, key: key)
    }

    private func bury(
        _ value: [UInt8], channel: String = "reports", reason: DeadLetter.Reason = .poison, key: String = "k"
    ) async throws {
        let message = IncomingMessage(
            partition: PartitionID(channel: channel, number: 3), offset: 41, key: Array(key.utf8), value: value,
            headers: [MessageHeader("traceparent", "00-1-2-01")], timestamp: Timestamp(milliseconds: 1_000))
        let letter = DeadLetter(message, group: "reporter", reason: reason, detail: "cannot be read", attempts: 2)
        try await send([letter.outgoing])
    }

    private func send(_ messages: [OutgoingMessage]) async throws {
        let producer = try await bus.makeProducer(ProducerOptions())
        try await producer.send(messages)
        await producer.close()
    }

    private func messages(on channel: Channel) async throws -> [IncomingMessage] {
        var messages: [IncomingMessage] = []
        try await bus.scan(channel) { message in
            messages.append(message)
            return true
        }
        return messages
    }

    private func arrived(_ channel: Channel = Topics.reports.channel) async throws -> [String] {
        try await messages(on: channel).map { String(decoding: $0.value, as: UTF8.self) }.sorted()
    }

    private func list(_ words: String...) async throws -> [String] {
        let terminal = RecordedTerminal()
        let arguments = try CommandArguments(words, options: DeadList.declaration.options)
        #expect(try await DeadList(arguments).run(on: bus, terminal) == 0)
        return terminal.printed + terminal.complaints
    }

    private func replay(_ words: String..., terminal: RecordedTerminal? = nil) async throws -> Int32 {
        let arguments = try CommandArguments(words, options: DeadReplay.declaration.options)
        return try await DeadReplay(arguments).run(on: bus, terminal ?? self.terminal)
    }

    private func show(_ words: String...) async throws -> String {
        let arguments = try CommandArguments(words, options: DeadShow.declaration.options)
        #expect(try await DeadShow(arguments).run(on: bus, terminal) == 0)
        return terminal.printed.joined(separator: "\n")
    }

    @Test func theListShowsTheNewestLast() async throws {
        for number in 1...5 { try await bury("\(number)", channel: "reports") }
        let lines = try await list("--limit", "2")
        #expect(lines.count == 4)
        #expect(lines[0].hasPrefix("POSITION"))
        #expect(lines[1].hasPrefix("0:3 "))
        #expect(lines[2].hasPrefix("0:4 "))
        #expect(lines[2].contains("reports") && lines[2].contains("poison") && lines[2].contains("cannot be read"))
        #expect(lines[3] == "showing the newest 2 of 5; use --limit N for more")
    }

    @Test func aLetterIsShownAsOneObject() async throws {
        try await bury("1", channel: "reports")
        let letter = try JSON(try await show("0:0", "--json"))
        #expect(letter["position"]?.text == "0:0")
        #expect(letter["kind"]?.text == "letter")
        #expect(letter["channel"]?.text == "reports")
        #expect(letter["reason"]?.text == "poison")
        #expect(letter["value"]?.text?.isEmpty == false)
        #expect(letter["headers"]?.elements != nil)
    }

    @Test func theListSaysWhenThereIsNothing() async throws {
        #expect(try await list() == ["no dead letters"])
        #expect(try await list("--json") == [])
    }

    @Test func aStrangersMessageIsCountedAndCanBeShown() async throws {
        try await send([OutgoingMessage(channel: Topics.dead.channel, key: nil, value: Array("hello".utf8))])
        #expect(
            try await list() == ["no dead letters", "other messages on dead: 1; see carillon dead show 0:0"])
        let text = try await show("0:0")
        #expect(text.contains("Not a dead letter"))
        #expect(text.contains("hello"))
    }

    @Test func jsonTellsTheWholeStory() async throws {
        try await bury("abc")
        let line = try #require(try await list("--json").first)
        #expect(line.hasPrefix(#"{"position":"0:0","died":""#))
        #expect(
            line.hasSuffix(
                #""channel":"reports","partition":3,"offset":41,"group":"reporter","reason":"poison","#
                    + #""detail":"cannot be read","attempts":2,"first_seen":"1970-01-01T00:00:01.000Z","#
                    + #""value_bytes":3,"replayed":false}"#))
    }

    @Test func showingHidesTokensUnlessAskedForThem() async throws {
        let token = String(repeating: "0a1b", count: 16)
        try await bury(#"{"token":"\#(token)"}"#)
        #expect(try await !show("0:0").contains(token))
        #expect(try await show("0:0", "--raw").contains(token))
    }

    @Test func aTerminalIsNotAtTheMercyOfAMessage() async throws {
        try await bury("red \u{1B}[31m alert \u{202E}")
        let text = try await show("0:0", "--raw")
        #expect(text.contains("red \\u{1b}[31m alert \\u{202e}"))
    }

    @Test func bytesThatAreNoTextAreHexadecimalAndCut() async throws {
        try await bury([UInt8](repeating: 0xFF, count: 40))
        #expect(try await show("0:0").contains(String(repeating: "ff", count: 16) + " … (40 bytes, not text"))
        let raw = try await show("0:0", "--raw")
        #expect(raw.contains(String(repeating: "ff", count: 32) + "\n" + String(repeating: "ff", count: 8)))
    }

    @Test func whatLiesNowhereCannotBeShown() async throws {
        let arguments = try CommandArguments(["0:9"], options: [])
        #expect(try await DeadShow(arguments).run(on: bus, terminal) == 1)
        #expect(terminal.complaints.first?.contains("no message at 0:9") == true)
    }

    @Test func aReplayedMessageIsAsItWas() async throws {
        try await bury("abc")
        #expect(try await replay("0:0") == 0)
        #expect(terminal.printed == ["replayed 1 message (1 to reports)"])
        let message = try #require(try await messages(on: Topics.reports.channel).first)
        #expect(message.key == Array("k".utf8))
        #expect(message.value == Array("abc".utf8))
        #expect(message.headers == [MessageHeader("traceparent", "00-1-2-01")])
    }

    /// The next `--all` skips a replayed message, whether it was replayed by position or by filter.
    @Test func allLeavesOutWhatWasReplayed() async throws {
        try await bury("named")
        try await bury("filtered", reason: .exhausted)
        try await bury("rest")
        #expect(try await replay("0:0") == 0)
        #expect(try await replay("--all", "--yes", "--reason", "exhausted") == 0)
        #expect(try await arrived() == ["filtered", "named"])
        #expect(try await replay("--all", "--yes", "--channel", "results") == 0)
        #expect(terminal.printed.last == "nothing to replay")
        #expect(try await replay("--all", "--yes") == 0)
        #expect(try await replay("--all", "--yes") == 0)
        #expect(try await arrived() == ["filtered", "named", "rest"])
        #expect(try await list().filter { $0.contains(" yes ") }.count == 3)
    }

    @Test func namingAPositionReplaysItAgain() async throws {
        try await bury("twice")
        #expect(try await replay("0:0", "0:0") == 0)
        #expect(try await replay("0:0") == 0)
        #expect(try await arrived() == ["twice", "twice"])
    }

    /// More than one batch, in the order of dead-lettering.
    @Test func aBatchEndsAndTheNextBegins() async throws {
        for number in 0..<450 { try await bury("\(number)") }
        #expect(try await replay("--all", "--yes") == 0)
        let values = try await messages(on: Topics.reports.channel).map { String(decoding: $0.value, as: UTF8.self) }
        #expect(values == (0..<450).map(String.init))
        #expect(terminal.printed == ["replayed 450 messages (450 to reports)"])
    }

    /// A message that is dead-lettered again is a new letter: the old mark does not hide it.
    @Test func whatDiesAgainIsReplayedAgain() async throws {
        try await bury("mortal")
        #expect(try await replay("--all", "--yes") == 0)
        try await bury("mortal")
        #expect(try await replay("--all", "--yes") == 0)
        #expect(try await arrived() == ["mortal", "mortal"])
    }

    @Test func aTopicThatIsGoneIsAFailureThatStaysVisible() async throws {
        try await bury("lost", channel: "abolished")
        try await bury("kept")
        #expect(try await replay("--all", "--yes") == 1)
        #expect(terminal.complaints == ["0:0 cannot be replayed: unknown topic abolished"])
        #expect(terminal.printed == ["replayed 1 message (1 to reports); 1 could not be replayed"])
        #expect(try await list().filter { $0.contains(" no ") }.count == 1)
    }

    /// A message too large for the bus was stored without its value, and must not be sent without it.
    @Test func aLetterThatIsNotWholeStays() async throws {
        let origin = IncomingMessage(
            partition: PartitionID(channel: "reports", number: 0), offset: 3, key: nil, value: [1], headers: [],
            timestamp: Timestamp(milliseconds: 0))
        let letter = DeadLetter(origin, group: "reporter", reason: .poison, detail: "cannot be read", attempts: 1)
        try await send([letter.withoutValue.outgoing])
        #expect(try await replay("--all", "--yes") == 1)
        #expect(terminal.complaints == ["0:0 cannot be replayed: it was too large and is stored without its value"])
        #expect(try await arrived() == [])
    }

    @Test func aPositionWhereNothingLiesIsNamed() async throws {
        try await bury("abc")
        #expect(try await replay("0:0", "0:7") == 1)
        #expect(terminal.complaints == ["0:7 cannot be replayed: no message at this position"])
        #expect(try await arrived() == ["abc"])
    }

    @Test func aDryRunSendsNothing() async throws {
        try await bury("abc")
        #expect(try await replay("--all", "--dry-run") == 0)
        #expect(terminal.printed == ["0:0 would go to reports", "would replay 1 message (1 to reports)"])
        #expect(try await arrived() == [])
        #expect(try await messages(on: Topics.dead.channel).count == 1)
    }

    @Test(arguments: [(true, Int32(0), ["abc"]), (false, Int32(1), [])])
    func allAsksFirst(_ answer: Bool, code: Int32, values: [String]) async throws {
        try await bury("abc")
        let terminal = RecordedTerminal(answer: answer)
        #expect(try await replay("--all", terminal: terminal) == code)
        #expect(terminal.questions == ["Replay 1 message?"])
        #expect(try await arrived() == values)
    }

    @Test func allWithoutATerminalIsRefused() async throws {
        try await bury("abc")
        await #expect(throws: UsageError.self) { try await replay("--all") }
        #expect(try await arrived() == [])
    }

    /// A message that did not become durable has no mark, so the next replay sends it.
    @Test func aFailedSendMarksNothing() async throws {
        try await bury("abc")
        let arguments = try CommandArguments(["--all", "--yes"], options: DeadReplay.declaration.options)
        await #expect(throws: BusError.self) {
            try await DeadReplay(arguments).run(on: RefusingBus(bus: bus, channel: Topics.reports.channel), terminal)
        }
        #expect(terminal.printed == ["replayed 0 messages"])
        #expect(try await replay("--all", "--yes") == 0)
        #expect(try await arrived() == ["abc"])
    }
}
