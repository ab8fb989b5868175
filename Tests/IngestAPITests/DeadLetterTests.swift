import Bus
import HTTPServer
import JSONKit
import PushModel
import ServiceKit
import TaskKit
import TestSupport
import Testing
import Topics

@testable import IngestAPI

/// The dead letters of an app's tasks, which no other app sees or replays.
@Suite struct DeadLetterTests {
    private static let path = "/v1/dead-letters"

    /// Posts a task and returns its id.
    private func task(_ fixture: IngestFixture, as key: IngestFixture.Key = .owner) async throws -> TaskID {
        let posted = await fixture.json("POST", "/v1/tasks", json: TaskCreationTests.small, as: key)
        return try #require(posted.json["id"]?.text.flatMap { TaskID($0) })
    }

    private func positions(_ response: RawClient.Response) -> [String?] {
        response.json["letters"]?.elements?.map { $0["position"]?.text } ?? []
    }

    private func replay(_ positions: [String], on fixture: IngestFixture) async -> RawClient.Response {
        let list = JSONText.array(positions)
        return await fixture.json("POST", "\(Self.path)/replay", json: #"{"positions":\#(list)}"#, as: .owner)
    }

    private func sent(_ fixture: IngestFixture, to channel: Channel) -> [OutgoingMessage] {
        fixture.bus.sent.filter { $0.channel == channel }
    }

    @Test func theListShowsTheAppsOwnNewestFirst() async throws {
        try await IngestFixture.run { fixture in
            let own = try await task(fixture)
            let foreign = try await task(fixture, as: .shop)
            for key in [
                Topics.key(own), Topics.key(foreign), Topics.key(own, segment: SegmentNumber(rawValue: 3)),
                Array("news".utf8),
                Topics.key(TaskID(high: 1, low: 2)), Topics.key(own, part: 7),
            ] { try await fixture.bury("{}", key: key) }
            try await fixture.bury("{}", key: nil)
            let all = await fixture.json("GET", Self.path, as: .owner)
            #expect(positions(all) == ["0:5", "0:2", "0:0"], "\(all.text)")
            #expect(all.json["total"] == .integer(3))
            let some = await fixture.json("GET", "\(Self.path)?limit=1", as: .owner)
            #expect(positions(some) == ["0:5"] && some.json["total"] == .integer(3))
            #expect(positions(await fixture.json("GET", Self.path, as: .shop)) == ["0:1"])
            for limit in ["0", "101", "x"] {
                #expect(await fixture.json("GET", "\(Self.path)?limit=\(limit)", as: .owner).status == 400)
            }
        }
    }

    @Test func aLetterSaysWhatHappened() async throws {
        try await IngestFixture.run { fixture in
            let own = try await task(fixture)
            try await fixture.bury(#"{"a":1}"#, key: Topics.key(own))
            let listed = try #require(await fixture.json("GET", Self.path, as: .owner).json["letters"]?.elements?.first)
            #expect(listed["died"]?.text.flatMap { Timestamp(rfc3339: $0) } != nil)
            #expect(listed["channel"] == .string("audience.fast") && listed["group"] == .string("renderer"))
            #expect(listed["reason"] == .string("poison") && listed["detail"] == .string("no content"))
            #expect(listed["attempts"] == .integer(2) && listed["value_bytes"] == .integer(7))
            #expect(listed["first_seen"] == .string("1970-01-01T00:00:01.000Z"))
            #expect(listed["replayed"] == .bool(false) && listed["replayable"] == .bool(true))
            #expect(listed["task"] == .string("\(own)"))
            let read = await fixture.json("GET", "\(Self.path)/0:0", as: .owner)
            #expect(read.json["content"] == .string(#"{"a":1}"#) && read.json["content_cut"] == .bool(false))
            #expect(read.json["position"] == .string("0:0"))
            try await fixture.bury("{}", key: Topics.key(own), channel: "abolished")
            let gone = await fixture.json("GET", "\(Self.path)/0:1", as: .owner)
            #expect(gone.json["replayable"] == .bool(false))
        }
    }

    @Test func anothersLetterIsAsIfItDidNotExist() async throws {
        try await IngestFixture.run { fixture in
            let foreign = try await task(fixture, as: .shop)
            try await fixture.bury("{}", key: Topics.key(foreign))
            try await fixture.bury("{}", key: Array("news".utf8))
            try await fixture.sendToTopics([OutgoingMessage(channel: Topics.dead.channel, key: nil, value: [])])
            let unknown = await fixture.json("GET", "\(Self.path)/0:9", as: .owner)
            #expect(unknown.status == 404)
            for position in ["0:0", "0:1", "0:2", "1:0", "x", "0:-1"] {
                let read = await fixture.json("GET", "\(Self.path)/\(position)", as: .owner)
                #expect(read.status == 404 && read.text == unknown.text, "\(position)")
            }
            let refused = await replay(["0:0", "0:1", "0:2", "0:9"], on: fixture)
            #expect(refused.status == 200 && refused.json["replayed"] == .integer(0))
            let reasons = refused.json["refused"]?.elements?.map { $0["reason"]?.text }
            #expect(reasons == .init(repeating: "no dead letter at this position", count: 4))
            #expect(sent(fixture, to: Topics.dead.channel).isEmpty)
        }
    }

    @Test func aReplaySendsTheMessageAsItWasThenItsMark() async throws {
        try await IngestFixture.run { fixture in
            let own = try await task(fixture)
            try await fixture.bury("first", key: Topics.key(own))
            try await fixture.bury("gone", key: Topics.key(own), channel: "abolished")
            try await fixture.bury("third", key: Topics.key(own))
            let response = await replay(["0:2", "0:0", "0:1", "0:0"], on: fixture)
            #expect(response.json["replayed"] == .integer(2), "\(response.text)")
            #expect(
                response.json["refused"]
                    == .array([
                        .object(
                            JSONObject([
                                ("position", .string("0:1")), ("reason", .string("unknown topic abolished")),
                            ]))
                    ]))
            let messages = sent(fixture, to: Topics.audience.channel(.fast))
            #expect(messages.map(\.value) == [Array("first".utf8), Array("third".utf8)])
            #expect(messages.allSatisfy { $0.key == Topics.key(own) })
            #expect(messages.first?.headers == [MessageHeader("traceparent", "00-1-2-01")])
            let marks = sent(fixture, to: Topics.dead.channel)
            #expect(marks.count == 2 && fixture.bus.sent.suffix(2).allSatisfy { $0.channel == Topics.dead.channel })
            try await fixture.sendToTopics(marks)
            let listed = await fixture.json("GET", Self.path, as: .owner)
            let replayed = listed.json["letters"]?.elements?.map { $0["replayed"] }
            #expect(replayed == [.bool(true), .bool(false), .bool(true)])
            #expect(await fixture.json("GET", "\(Self.path)/0:0", as: .owner).json["replayed"] == .bool(true))
        }
    }

    /// A message that did not become durable gets no mark.
    @Test func aFailedReplayMarksNothing() async throws {
        try await IngestFixture.run { fixture in
            let own = try await task(fixture)
            try await fixture.bury("first", key: Topics.key(own))
            fixture.bus.fail(with: BusError(.unavailable, message: "no answer"))
            let response = await replay(["0:0"], on: fixture)
            #expect(response.status == 503 && response.headers["retry-after"] != nil)
            #expect(sent(fixture, to: Topics.dead.channel).isEmpty)
            fixture.bus.fail(with: nil)
            #expect(await replay(["0:0"], on: fixture).json["replayed"] == .integer(1))
        }
    }

    @Test func aReplayIsBounded() async throws {
        try await IngestFixture.run { fixture in
            #expect(await replay([], on: fixture).status == 400)
            #expect(await replay((0...100).map { "0:\($0)" }, on: fixture).status == 400)
            #expect(await replay(["17"], on: fixture).status == 400)
            #expect(await replay((0..<100).map { "0:\($0)" }, on: fixture).status == 200)
        }
    }

    @Test func oneScanRunsAtATime() async throws {
        let turn = DeadLetterTurn()
        try await turn.run {
            _ = await #expect(throws: TaskError.readingLetters) { try await turn.run {} }
        }
        try await turn.run {}
        #expect(TaskError.readingLetters.response().status == .tooManyRequests)
        #expect(TaskError.readingLetters.headers.contains { $0.name == "Retry-After" })
    }

    @Test func onlyAnAdministratorReadsOrReplays() async throws {
        try await IngestFixture.run { fixture in
            for (method, path) in [("GET", Self.path), ("GET", "\(Self.path)/0:0"), ("POST", "\(Self.path)/replay")] {
                let response = await fixture.json(method, path, as: .publisher)
                #expect(response.status == 403 && response.detail?.contains("admin") == true, "\(path)")
            }
        }
    }

    @Test func theListIsBounded() throws {
        var scanned = ScannedLetters(limit: 3)
        let task = TaskID(high: 1, low: 2)
        for offset in 0..<10 {
            let origin = IncomingMessage(
                partition: PartitionID(channel: "reports", number: 0), offset: 0, key: Topics.key(task), value: [],
                headers: [], timestamp: Timestamp(milliseconds: 0))
            let letter = DeadLetter(origin, group: "g", reason: .poison, detail: "", attempts: 1).outgoing
            let message = IncomingMessage(
                partition: PartitionID(channel: "dead", number: 0), offset: Int64(offset), key: letter.key, value: [],
                headers: letter.headers, timestamp: Timestamp(milliseconds: Int64(offset)))
            scanned.add(message, record: DeadRecord(message))
        }
        let list = scanned.list(of: [task], limit: 2)
        #expect(list.total == 3)
        #expect(list.letters.map(\.letter.position.offset) == [9, 8])
    }

    @Test func contentShowsNoSecrets() {
        let token = String(repeating: "0a1b", count: 16)
        let json = LetterContent(Array(#"{"token":"\#(token)","task":{"receipt_key":"c2hvcnQ"},"n":1}"#.utf8))
        #expect(json.text == #"{"token":"[redacted 64 characters]","task":{"receipt_key":"[redacted]"},"n":1}"#)
        #expect(LetterContent(Array("token \(token)".utf8)).text == "token [redacted 64 characters]")
        #expect(LetterContent(Array("a\u{202E}b\u{1B}".utf8)).text == #"a\u202eb\u001b"#)
        #expect(LetterContent(Array("{\"a\":\"\u{E0001}\"}".utf8)).text == #"{"a":"\udb40\udc01"}"#)
    }

    @Test func contentIsCut() {
        let bytes = LetterContent([UInt8](repeating: 0xFF, count: 2_000))
        #expect(bytes.isCut && bytes.text == String(repeating: "ff", count: 1_024))
        let text = LetterContent(Array(String(repeating: "ä ", count: 40_000).utf8))
        #expect(text.isCut && text.text.utf8.count <= LetterContent.bytesMaximum)
        #expect(text.text.utf8.count > LetterContent.bytesMaximum - 4 && !text.text.contains("\u{FFFD}"))
    }
}
