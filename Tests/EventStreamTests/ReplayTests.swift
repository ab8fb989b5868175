import Bus
import PushModel
import ServiceKit
import TestSupport
import Testing
import Topics

@testable import EventStream

@Suite struct ReplayTests {
    private static func history(_ count: Int, bytesMaximum: Int = 1 << 20) -> EventHistory {
        var history = EventHistory([0: 0..<0], bytesMaximum: bytesMaximum)
        for number in 0..<count {
            _ = history.add(SampleEvents.message(SampleEvents.event(UInt64(number)), offset: Int64(number)))
        }
        return history
    }

    private static func replay(
        _ history: EventHistory, from position: StreamPosition, names: [String] = ["sports"]
    ) -> ReadStream {
        var replay = Replay(
            app: SampleEvents.news, names: names.map(SampleEvents.topic), from: position, history: history)
        var client = ReadStream(lastID: position.text)
        while case .send(let bytes) = replay.next(history) { client.read(bytes) }
        return client
    }

    @Test func aClientIsSentWhatFollowsItsPosition() {
        let client = Self.replay(Self.history(10), from: StreamPosition([4]))
        #expect(client.numbers == [4, 5, 6, 7, 8, 9] && client.gaps == 0)
        #expect(client.lastID == StreamPosition([10]).text)
        #expect(Self.replay(Self.history(10), from: StreamPosition([10])).numbers == [])
        #expect(Self.replay(Self.history(10), from: StreamPosition([0]), names: ["news"]).numbers == [])
    }

    @Test func aRepeatedTaskIsShownOnce() {
        var history = Self.history(3)
        let again = history.add(SampleEvents.message(SampleEvents.event(1), offset: 3))
        guard case .repeated = again else { return #expect(Bool(false), "it was taken for a new one") }
        #expect(history.position == StreamPosition([4]))
        #expect(Self.replay(history, from: StreamPosition([0])).numbers == [0, 1, 2])
    }

    @Test func whatCannotBeReadIsPassed() {
        var history = Self.history(1)
        let message = IncomingMessage(
            partition: PartitionID(channel: "events", number: 0), offset: 1, key: nil, value: [1], headers: [],
            timestamp: Timestamp(milliseconds: 0))
        guard case .unreadable = history.add(message) else { return #expect(Bool(false), "it was read") }
        #expect(history.position == StreamPosition([2]))
    }

    /// Goal: a client whose position is not held any more is told once, and sent what is left.
    @Test func aGapIsToldOnce() {
        let history = Self.history(1_000, bytesMaximum: 20_000)
        let first = history.beginning[0]
        #expect(first > 900)
        let client = Self.replay(history, from: StreamPosition([3]))
        #expect(client.gaps == 1 && client.numbers == Array(Int(first)..<1_000))
        #expect(Self.replay(history, from: history.beginning).gaps == 0)
        // The slow client meets a history that has moved on since.
        var replay = Replay(
            app: SampleEvents.news, names: [SampleEvents.topic("sports")], from: StreamPosition([0]),
            history: Self.history(40))
        var slow = ReadStream()
        while case .send(let bytes) = replay.next(history) { slow.read(bytes) }
        #expect(slow.gaps == 1 && slow.numbers == Array(Int(first)..<1_000))
    }

    @Test func aClientThatIsAheadSkipsWhatItHas() {
        var replay = Replay(
            app: SampleEvents.news, names: [SampleEvents.topic("sports")], from: StreamPosition([20]),
            history: Self.history(10))
        #expect(replay.next(Self.history(10)) == .done(ahead: StreamPosition([20])))
    }

    /// Goal: over any number of interruptions and changes between instances, which read the partitions in different
    /// orders and are ahead of each other, a client gets each event once, and those of one partition in order. Method:
    /// many random stories; each event comes to an instance when that instance reads it.
    @Test(arguments: 0..<60) func nothingIsLostOrDoubled(seed: Int) throws {
        var dice = Dice(seed: UInt64(seed))
        let partitions = 1 + dice.number(below: 4)
        var logs = [[ListenerEvent]](repeating: [], count: partitions)
        for number in 0..<300 { logs[dice.number(below: partitions)].append(SampleEvents.event(UInt64(number))) }
        var instances = (0..<3).map { _ in
            EventHistory(
                Dictionary(uniqueKeysWithValues: (0..<Int32(partitions)).map { ($0, 0..<0) }), bytesMaximum: 1 << 20)
        }
        var client = ReadStream(lastID: StreamPosition().text)
        for _ in 0..<200 {
            for _ in 0..<dice.number(below: 12) {
                Self.read(dice.number(below: 3), in: &instances, logs: logs, dice: &dice)
            }
            let instance = instances[dice.number(below: 3)]
            try Self.connect(&client, to: instance, dice: &dice)
        }
        for instance in 0..<3 {
            for _ in 0..<1_000 { Self.read(instance, in: &instances, logs: logs, dice: &dice) }
        }
        try Self.connect(&client, to: instances[0], dice: &dice, isWhole: true)
        #expect(client.gaps == 0)
        #expect(client.numbers.sorted() == Array(0..<300))
        for log in logs {
            let own = log.compactMap { event in client.numbers.firstIndex(of: Int(event.task.low)) }
            #expect(own == own.sorted())
        }
    }

    /// The instance reads the next event of a random partition.
    private static func read(
        _ instance: Int, in instances: inout [EventHistory], logs: [[ListenerEvent]], dice: inout Dice
    ) {
        let partition = Int32(dice.number(below: logs.count))
        let offset = instances[instance].position[partition]
        guard offset < logs[Int(partition)].count else { return }
        _ = instances[instance].add(
            SampleEvents.message(logs[Int(partition)][Int(offset)], partition: partition, offset: offset))
    }

    /// Resumes; a stream that is not to be read whole is cut off after some bytes.
    private static func connect(
        _ client: inout ReadStream, to history: EventHistory, dice: inout Dice, isWhole: Bool = false
    ) throws {
        let position = try #require(client.lastID.flatMap { StreamPosition($0) })
        var replay = Replay(
            app: SampleEvents.news, names: [SampleEvents.topic("sports")], from: position, history: history)
        while case .send(let bytes) = replay.next(history) {
            let count = isWhole ? bytes.count : dice.number(below: bytes.count + 1)
            client.read(Array(bytes[..<count]))
            guard count == bytes.count else { break }
        }
        client.cut()
    }
}
