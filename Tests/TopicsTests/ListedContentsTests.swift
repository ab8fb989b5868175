import PushModel
import ServiceKit
import TaskModel
import TestSupport
import Testing
import Topics

/// Contents of list entries, and the numbers by which devices name them: each message with and without them.
@Suite struct ListedContentsTests {
    private let id = TaskID(high: 1, low: 2)
    private let app: AppID
    private let numbers = [
        ContentNumber.ofTask, ContentNumber(part: 0, place: 0), ContentNumber(part: 999_999, place: 399),
    ]

    init() throws {
        app = try AppID("news")
    }

    private func part() throws -> TaskPart {
        let entries = try (0..<4).map { TargetEntry.alias(try Samples.user("user-\($0)")) }
        return TaskPart(
            task: id, number: 3, entries: entries,
            contents: [Samples.content("one"), Samples.content("two", platforms: [.ios])], choices: [1, 0, 1, 1])
    }

    @Test func aPartComesBackWithItsContents() throws {
        let part = try part()
        #expect(try TaskMessage(decoding: TaskMessage.part(part).encoded()) == .part(part))
        let record = ScheduleRecord.part(part, begins: Timestamp(milliseconds: 5_000))
        #expect(try ScheduleRecord(decoding: record.encoded()) == record)
    }

    @Test func aPartWithoutContentsIsWrittenAsBefore() throws {
        let part = TaskPart(task: id, number: 2, entries: [.alias(try Samples.user("a"))])
        #expect(
            String(decoding: TaskMessage.part(part).encoded(), as: UTF8.self)
                == #"{"version":1,"task":"\#(id)","part":2,"entries":[["a",1,"a"]]}"#)
    }

    @Test(arguments: [
        #""contents":[7],"choices":[0]"#, #""contents":{},"choices":[0]"#, #""contents":[CONTENT]"#,
        #""contents":[CONTENT],"choices":[]"#, #""contents":[CONTENT],"choices":[1]"#,
        #""contents":[CONTENT],"choices":[-1]"#, #""contents":[CONTENT],"choices":["0"]"#,
        #""contents":[CONTENT],"choices":[0,0]"#, #""choices":[0]"#,
    ])
    func contentsThatDoNotFitTheEntriesAreMalformed(members: String) throws {
        let content = #"{"platforms":["ios"],"payloads":{},"variables":{}}"#
        func decode(_ members: String) throws -> TaskMessage {
            let text = #"{"version":1,"task":"\#(id)","part":2,"entries":[["a",1,"a"]],\#(members)}"#
            return try TaskMessage(decoding: Array(text.replacing("CONTENT", with: content).utf8))
        }
        #expect(throws: MalformedMessageError.self) { try decode(members) }
        #expect(throws: Never.self) { try decode(#""contents":[CONTENT],"choices":[0]"#) }
    }

    @Test func moreContentsThanAPartMayHaveAreMalformed() throws {
        let contents = Array(repeating: "{}", count: 401).joined(separator: ",")
        let text =
            #"{"version":1,"task":"\#(id)","part":2,"entries":[["a",1,"a"]],"contents":[\#(contents)],"choices":[0]}"#
        #expect(throws: MalformedMessageError.self) { try TaskMessage(decoding: Array(text.utf8)) }
    }

    @Test func aTaskSaysThatItsContentsAreListed() throws {
        var task = PushTask(id: id, app: app, created: Timestamp(milliseconds: 5))
        #expect(!String(decoding: TaskMessage.task(task).encoded(), as: UTF8.self).contains("listed_contents"))
        task.hasListedContents = true
        task.content.platforms = [.ios, .web]
        task.target.list = .parts(count: 1, entries: 3)
        for task in [task, task.withdrawn] {
            #expect(try TaskMessage(decoding: TaskMessage.task(task).encoded()) == .task(task))
        }
        #expect(task.targetedPlatforms == [.ios, .web])
        task.target.audience = .topic(try TopicName("news"))
        #expect(throws: MalformedMessageError.self) { try TaskMessage(decoding: TaskMessage.task(task).encoded()) }
        task.target.audience = nil
        task.target.list = .entries([])
        #expect(throws: MalformedMessageError.self) { try TaskMessage(decoding: TaskMessage.task(task).encoded()) }
    }

    @Test(arguments: [DeviceTiming.ofTask, DeviceTiming(deferral: .rate, begins: 9)])
    func anAudienceChunkKeepsTheNumbers(timing: DeviceTiming) throws {
        func chunk(_ numbers: [[ContentNumber]]) -> AudienceChunk {
            let segments = numbers.enumerated().map { segment, numbers in
                var devices = AudienceDevices(segment: SegmentNumber(rawValue: UInt32(segment)))
                for (offset, number) in numbers.enumerated() {
                    devices.append(
                        offset: UInt16(offset), record: [1, 2], isSilent: offset == 1, content: number)
                }
                return devices
            }
            return AudienceChunk(task: id, app: app, lane: .fast, attempt: 0, timing: timing, segments: segments)
        }
        let (plain, none) = (chunk([[.ofTask, .ofTask]]), [ContentNumber.ofTask, .ofTask])
        #expect(plain.encoded()[0] == (timing == .ofTask ? 1 : 2))
        for columns in [[numbers], [numbers.reversed(), none], [none, Array(numbers.suffix(1))]] {
            let varied = chunk(columns)
            let bytes = varied.encoded()
            #expect(bytes[0] == 3)
            let decoded = try AudienceChunk(decoding: bytes)
            #expect(decoded == varied)
            for (segment, numbers) in zip(decoded.segments, columns) {
                #expect(numbers.indices.map { segment.content(at: $0) } == numbers)
            }
            damage(bytes) { try AudienceChunk(decoding: $0).encoded() }
        }
    }

    /// Goal: no chunk with numbers exceeds the limit of the bus. Method: records of several lengths, numbers from the
    /// first device or from a later one, and each device in a segment of its own.
    @Test(arguments: [0, 499], [500, 560])
    func chunksWithNumbersStayWithinTheLimit(first: Int, recordBytes: Int) throws {
        var split = AudienceSplit(task: id, app: try AppID(String(repeating: "a", count: 64)), lane: .bulk, attempt: 0)
        let record = [UInt8](repeating: 7, count: recordBytes)
        let last = ContentNumber(part: 999_999, place: 399)
        for number in 0..<2_000 {
            split.append(
                1, of: SegmentNumber(rawValue: UInt32(number)), record: record[...], isSilent: false,
                content: number < first ? .ofTask : last)
        }
        let chunks = split.chunks()
        #expect(chunks.reduce(0) { $0 + $1.deviceCount } == 2_000)
        for chunk in chunks {
            let bytes = chunk.encoded()
            #expect(bytes.count <= Topics.messageBytesMaximum)
            #expect(try AudienceChunk(decoding: bytes) == chunk)
        }
    }

    @Test(arguments: [DeviceTiming.ofTask, DeviceTiming(deferral: .quietHours, begins: 9)])
    func aRetryOrderKeepsTheNumbers(timing: DeviceTiming) throws {
        func order(_ numbers: [ContentNumber]) -> RetryOrder {
            RetryOrder(
                task: id, segment: SegmentID(app, number: SegmentNumber(rawValue: 3)), provider: .fcm, attempt: 2,
                due: 7, timing: timing,
                devices: numbers.enumerated().map { offset, number in
                    RetryOrder.Device(offset: UInt16(offset), tag: 5, isSilent: offset == 1, content: number)
                })
        }
        #expect(order([.ofTask, .ofTask]).encoded()[0] == (timing == .ofTask ? 1 : 2))
        let varied = order(numbers)
        let bytes = varied.encoded()
        #expect(bytes[0] == 3)
        #expect(try RetryOrder(decoding: bytes) == varied)
        #expect(varied.parts(of: 1).flatMap(\.devices).map(\.content) == numbers)
        damage(bytes) { try RetryOrder(decoding: $0).encoded() }
    }

    /// With each of the other additions, and without.
    @Test(arguments: [false, true], [false, true])
    func aDispatchChunkKeepsTheNumbers(isProven: Bool, isEncrypted: Bool) throws {
        let keys = try #require(WebPushKeys(publicKey: [4] + Array(1...64), secret: Array(1...16)))
        func chunk(_ numbers: [ContentNumber]) -> DispatchChunk {
            var devices = SegmentDevices(segment: SegmentNumber(rawValue: 9))
            for number in numbers.indices {
                devices.append(
                    offset: UInt16(number), variant: UInt8(number), isSandbox: false, tag: 1, updated: 2,
                    token: "https://push.example", webPushKeys: isEncrypted && number == 1 ? keys : nil)
            }
            return DispatchChunk(
                task: id, app: app, lane: .bulk, attempt: 0, timing: DeviceTiming(begins: 4),
                cap: ChunkCap(PushCap(count: 1, period: .seconds(60)), latest: nil), accepted: 1, deadline: 2,
                countsBadge: false, repeatsUnknown: false, rates: [PushRate(5, of: .app(app))],
                receiptKey: isProven ? TaskReceiptKey(bytes: Array(1...16)) : nil,
                variants: numbers.map { variant().of($0) }, segments: [devices])
        }
        #expect(chunk([.ofTask, .ofTask]).encoded()[0] == (isEncrypted ? 6 : isProven ? 5 : 4))
        let varied = chunk(numbers)
        let bytes = varied.encoded()
        #expect(bytes[0] == 7)
        let decoded = try DispatchChunk(decoding: bytes)
        #expect(decoded == varied && decoded.variants.map(\.content) == numbers)
        damage(bytes) { try DispatchChunk(decoding: $0).encoded() }
        // Format, task, the app with its length, timing, rates and cap come before the additions.
        let additions = 1 + 16 + 5 + 9 + 8 + 1 + 20
        #expect(bytes[additions] == 8 | (isProven ? 1 : 0) | (isEncrypted ? 2 : 0))
        var unknown = bytes
        unknown[additions] |= 0x80
        #expect(throws: MalformedMessageError.self) { try DispatchChunk(decoding: unknown) }
    }

    private func variant() -> RenderedVariant {
        RenderedVariant(
            kind: .webpush, priority: .high, pushType: "alert", collapseID: "task", expiration: 1_900_000_000,
            payload: PayloadTemplate(Array("{}".utf8)))
    }

    /// Each cut is noticed; other damage never traps, and what still decodes can be written.
    private func damage(_ bytes: [UInt8], decode: ([UInt8]) throws -> [UInt8]) {
        for length in bytes.indices {
            #expect(throws: MalformedMessageError.self) { try decode(Array(bytes.prefix(length))) }
        }
        for value: UInt8 in [0, 1, 0x7F, 0x80, 0xFF] {
            for position in bytes.indices {
                var damaged = bytes
                damaged[position] = value
                _ = try? decode(damaged)
            }
        }
    }
}
