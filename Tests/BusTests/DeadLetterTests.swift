import Bus
import ServiceKit
import Testing
import Topics

@Suite struct DeadLetterTests {
    private let message = IncomingMessage(
        partition: PartitionID(channel: "audience.fast", number: 3), offset: 42, key: [1, 2], value: [0, 255, 7],
        headers: [MessageHeader("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")],
        timestamp: Timestamp(milliseconds: 1_700_000_000_000))

    private func asDelivered(_ letter: DeadLetter) -> IncomingMessage {
        let outgoing = letter.outgoing
        return IncomingMessage(
            partition: PartitionID(channel: outgoing.channel.name, number: 0), offset: 0, key: outgoing.key,
            value: outgoing.value, headers: outgoing.headers, timestamp: Timestamp(milliseconds: 1))
    }

    @Test func tellsItsStoryAndReplaysAsItWas() throws {
        let letter = DeadLetter(message, group: "renderer", reason: .exhausted, detail: "no such template", attempts: 5)
        let read = try #require(DeadLetter(fromDead: asDelivered(letter)))
        #expect(read.reason == .exhausted)
        #expect(read.channel == "audience.fast" && read.partition == 3 && read.offset == 42)
        #expect(read.group == "renderer" && read.attempts == 5 && read.detail == "no such template")
        let replay = try #require(read.replay(into: Topics.channel(named: read.channel)))
        #expect(replay.channel.name == "audience.fast")
        #expect(replay.key == message.key && replay.value == message.value && replay.headers == message.headers)
    }

    @Test func aSecondDeathDoesNotPileUpHeaders() {
        let once = DeadLetter(message, group: "g", reason: .poison, detail: "x", attempts: 1)
        let twice = DeadLetter(asDelivered(once), group: "g", reason: .poison, detail: "x", attempts: 1)
        #expect(twice.outgoing.headers.count == once.outgoing.headers.count)
    }

    @Test func theReasonIsBoundedAndRedacted() {
        let token = String(repeating: "a1", count: 32)
        let letter = DeadLetter(
            message, group: "g", reason: .poison, detail: "token \(token) " + String(repeating: "long ", count: 10_000),
            attempts: 1)
        #expect(!letter.detail.contains(token))
        #expect(letter.detail.count <= 2_000)
    }

    @Test func anyOtherMessageIsNoDeadLetter() {
        #expect(DeadLetter(fromDead: message) == nil)
    }
}
