import PushModel
import TestSupport
import Testing
import Topics

/// Chunks of an audience: their encoding, and the distribution of devices among them.
@Suite struct AudienceChunkTests {
    @Test(arguments: [[], [9], [UInt8](repeating: 7, count: AudienceChunk.contentBytesMaximum)])
    func comesBackAsItWas(content: [UInt8]) throws {
        let chunk = try Self.chunk(content)
        let decoded = try AudienceChunk(decoding: chunk.encoded())
        #expect(decoded == chunk)
        #expect(decoded.content == content)
        let device = try Self.device(801)
        #expect(decoded.segments[0].device(at: 1) == device)
        #expect(decoded.segments[0].isSilent == [false, true, false])
        #expect(decoded.segments[1].record(at: 0).isEmpty)
    }

    /// With and without a content.
    @Test(arguments: [[], [1, 2, 3]])
    func truncatedOrDamagedBytesNeverTrap(content: [UInt8]) throws {
        let bytes = try Self.chunk(content).encoded()
        for length in bytes.indices {
            #expect(throws: MalformedMessageError.self) { try AudienceChunk(decoding: Array(bytes.prefix(length))) }
        }
        #expect(throws: MalformedMessageError.self) { try AudienceChunk(decoding: bytes + [0]) }
        for value: UInt8 in [0, 1, 0x7F, 0x80, 0xFF] {
            for position in bytes.indices {
                var damaged = bytes
                damaged[position] = value
                guard let decoded = try? AudienceChunk(decoding: damaged) else { continue }
                _ = decoded.encoded()
                for segment in decoded.segments { for place in 0..<segment.count { _ = segment.device(at: place) } }
            }
        }
    }

    @Test func aLongContentMakesNoChunk() throws {
        let longest = [UInt8](repeating: 7, count: AudienceChunk.contentBytesMaximum)
        var bytes = try Self.chunk(longest).encoded()
        // 4,096, encoded in two bytes, becomes 4,097 with the added byte.
        let length = try #require(bytes.indices.first { bytes[$0...].starts(with: [0x80, 0x20, 7]) })
        bytes[length] = 0x81
        bytes.insert(7, at: length + 2)
        #expect(throws: MalformedMessageError.self) { try AudienceChunk(decoding: bytes) }
    }

    @Test func everyChunkBringsTheContent() throws {
        let content = [UInt8](repeating: 7, count: AudienceChunk.contentBytesMaximum)
        var split = AudienceSplit(
            task: TaskID(high: 1, low: 2), app: try AppID("news"), lane: .fast, attempt: 0, content: content)
        let record = [UInt8](repeating: 7, count: 1_000)
        for offset in 0..<600 {
            split.append(UInt16(offset), of: SegmentNumber(rawValue: 0), record: record[...], isSilent: false)
        }
        let chunks = split.chunks()
        #expect(chunks.count == 3)
        #expect(chunks.allSatisfy { $0.content == content && $0.encoded().count <= Topics.messageBytesMaximum })
    }

    @Test func aSegmentStandsInAChunkOnce() throws {
        let segment = AudienceDevices(segment: SegmentNumber(rawValue: 1))
        let chunk = AudienceChunk(
            task: TaskID(high: 1, low: 2), app: try AppID("news"), lane: .bulk, attempt: 0,
            segments: [segment, segment])
        #expect(throws: MalformedMessageError.self) { try AudienceChunk(decoding: chunk.encoded()) }
    }

    @Test func onlyATimingNeedsALaterFormat() throws {
        let timing = DeviceTiming(deferral: .localTime, begins: 1_900_000_000_000)
        #expect(try AudienceChunkTests.chunk().encoded()[0] == 1)
        var split = AudienceSplit(
            task: TaskID(high: 1, low: 2), app: try AppID("news"), lane: .fast, attempt: 0, timing: timing)
        split.append(3, of: SegmentNumber(rawValue: 7), record: [1], isSilent: false)
        let chunk = try #require(split.chunks().first)
        #expect(chunk.timing == timing && chunk.encoded()[0] == 2)
        #expect(try AudienceChunk(decoding: chunk.encoded()) == chunk)
    }

    @Test func moreDevicesThanAChunkHoldsMakeSeveral() throws {
        var split = AudienceSplit(task: TaskID(high: 1, low: 2), app: try AppID("news"), lane: .fast, attempt: 3)
        for number in 0..<1_201 {
            let segment = SegmentNumber(rawValue: UInt32(number / 400))
            split.append(UInt16(number % 400), of: segment, record: [1, 2, 3], isSilent: false)
        }
        let chunks = split.chunks()
        #expect(chunks.map(\.deviceCount) == [500, 500, 201])
        #expect(chunks[0].segments.map(\.count) == [400, 100])
        #expect(chunks.allSatisfy { $0.attempt == 3 && $0.lane == .fast })
        for chunk in chunks { #expect(try AudienceChunk(decoding: chunk.encoded()) == chunk) }
    }

    @Test func largeRecordsMakeAChunkSmaller() throws {
        let app = try AppID(String(repeating: "a", count: AppID.lengthMaximum))
        var split = AudienceSplit(task: TaskID(high: 1, low: 2), app: app, lane: .bulk, attempt: 0)
        let record = [UInt8](repeating: 7, count: 5_000)
        for offset in 0..<200 {
            split.append(
                UInt16(offset), of: SegmentNumber(rawValue: UInt32(offset)), record: record[...], isSilent: true)
        }
        let chunks = split.chunks()
        #expect(chunks.map(\.deviceCount).reduce(0, +) == 200)
        #expect(chunks.count == 4)
        #expect(chunks.allSatisfy { $0.encoded().count <= Topics.messageBytesMaximum })
    }

    @Test func nothingMakesNoChunk() throws {
        let split = AudienceSplit(task: TaskID(high: 1, low: 2), app: try AppID("news"), lane: .bulk, attempt: 0)
        #expect(split.chunks().isEmpty)
    }

    private static func device(_ number: UInt32) throws -> Device {
        Device(tag: number, token: try Samples.token(Int(number)), created: 1_000)
    }

    private static func chunk(_ content: [UInt8] = []) throws -> AudienceChunk {
        var first = AudienceDevices(segment: SegmentNumber(rawValue: 7))
        for number in 0..<3 {
            let record = try device(UInt32(800 + number)).packed
            first.append(offset: UInt16(number * 1_300), record: record, isSilent: number == 1)
        }
        var second = AudienceDevices(segment: SegmentNumber(rawValue: 8))
        second.append(offset: 4_095, record: [], isSilent: false)
        return AudienceChunk(
            task: TaskID(high: 1, low: 2), app: try AppID("news"), lane: .fast, attempt: 1, content: content,
            segments: [first, second])
    }
}
