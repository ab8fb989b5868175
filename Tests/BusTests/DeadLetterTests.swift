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

    /// Goal: every message allowed on a topic fits into `dead`. Method: value, key and headers of the maximum size, and
    /// a detail whose single character is larger than any limit on characters.
    @Test(arguments: [String(repeating: "e\u{301}", count: 5_000), "e" + String(repeating: "\u{301}", count: 9_000)])
    func theLargestMessageMayDie(detail: String) throws {
        let header = MessageHeader("h", [UInt8](repeating: 1, count: Topics.headersBytesMaximum - 1))
        let largest = IncomingMessage(
            partition: PartitionID(channel: "dispatch.android.bulk", number: .max), offset: .max,
            key: [UInt8](repeating: 1, count: Topics.keyBytesMaximum),
            value: [UInt8](repeating: 1, count: Topics.messageBytesMaximum), headers: [header],
            timestamp: Timestamp(milliseconds: .max))
        let letter = DeadLetter(
            largest, group: "targeting-resolver", reason: .undecodable, detail: detail, attempts: .max)
        try [letter.outgoing].checkSizes()
        let replay = try #require(letter.replay(into: Topics.dispatchAndroid.channel(.bulk)))
        try [replay].checkSizes()
        try [letter.withoutValue.outgoing].checkSizes()
    }

    /// Goal: a message of a foreign program is dead-lettered as well, even if it exceeds the limits of this bus.
    @Test func whatIsLargerThanAnyMessageMayDieWithoutItsParts() throws {
        let header = MessageHeader("h", [UInt8](repeating: 1, count: Topics.headersBytesMaximum))
        let foreign = IncomingMessage(
            partition: PartitionID(channel: "audience.fast", number: 3), offset: 42,
            key: [UInt8](repeating: 1, count: Topics.keyBytesMaximum + 1), value: [1], headers: [header],
            timestamp: Timestamp(milliseconds: 0))
        let letter = DeadLetter(foreign, group: "g", reason: .undecodable, detail: "x", attempts: 1)
        #expect(throws: BusError.self) { try [letter.outgoing].checkSizes() }
        try [letter.withoutValue.outgoing].checkSizes()
    }

    @Test(arguments: [
        (Topics.messageBytesMaximum, Topics.keyBytesMaximum, Topics.headersBytesMaximum, true),
        (Topics.messageBytesMaximum + 1, 0, 0, false), (0, Topics.keyBytesMaximum + 1, 0, false),
        (0, 0, Topics.headersBytesMaximum + 1, false),
    ])
    func everyPartHasItsBound(value: Int, key: Int, headers: Int, isAllowed: Bool) {
        let message = OutgoingMessage(
            channel: Topics.tasks.channel, key: [UInt8](repeating: 1, count: key),
            value: [UInt8](repeating: 1, count: value),
            headers: headers > 0 ? [MessageHeader("h", [UInt8](repeating: 1, count: headers - 1))] : [])
        let error = isAllowed ? nil : BusError.Code.tooLarge
        var thrown: BusError?
        do throws(BusError) { try [message].checkSizes() } catch { thrown = error }
        #expect(thrown?.code == error)
    }
}
