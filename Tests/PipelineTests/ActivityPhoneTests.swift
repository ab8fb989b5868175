import JSONKit
import PushModel
import ServiceKit
import TestSupport
import Testing
import Topics

/// Live Activities on simulated phones, which report their tokens as an app does, through the whole pipeline.
@Suite(.timeLimit(.minutes(10))) struct ActivityPhoneTests {
    /// Goal: phones that know channels share one, others get a push each, and all end with the newest state; a state that
    /// was published before the channel was known is sent to it. Method: simulated phones of two systems register
    /// themselves; the reporter, which registers the channel, is down until an update was published.
    @Test func phonesThatKnowChannelsShareOne() async throws {
        let harness = try await Harness(.embedded)
        try await addPhones(4, system: "18.1", harness)
        try await addPhones(2, system: "17.5", harness)
        try await waitUntil { try await summary(harness)["reports_made"] == .integer(6) }
        let reporter = try harness.process("reporter")
        await reporter.kill()
        let start = try await begin(harness)
        try await waitUntil { try await counts(harness)?["starts"] == .integer(6) }
        // The tokens of the two older phones.
        try await waitUntil { try await summary(harness)["reports_made"] == .integer(8) }
        _ = try await put(1, harness)
        try await reporter.start()
        try await waitUntil { try await steps(harness) == [1] }
        #expect(try #require(await harness.reports.report(of: start), "\(harness.lines)")[.delivered] == 6)

        let update = try #require(await harness.reports.report(of: try await put(2, harness)), "\(harness.lines)")
        #expect(update.targeted == 3 && update[.delivered] == 3)
        #expect(try await steps(harness) == [2])
        let channels = try JSON(try await harness.simulator.admin("GET", "/channels").body)["channels"]?.elements
        let channel = try #require(channels?.first)
        // The late state and the update.
        #expect(channels?.count == 1 && channel["broadcasts"] == .integer(2) && channel["phones"] == .integer(4))
        let end = try #require(await harness.reports.report(of: try await put(3, isEnd: true, harness)))
        #expect(end.targeted == 3 && end[.delivered] == 3)
        let shown = try await summary(harness)
        #expect(shown["states"]?["ended"] == .integer(6) && shown["sums"]?["unsupported"] == .integer(0))
        try await harness.close()
    }

    /// Goal: an end that is posted beside updates is the last state of every phone. Method: two `ingest-api` get updates
    /// and one end at once.
    @Test func anEndBesideUpdatesIsTheLastState() async throws {
        let harness = try await Harness(.embedded, instances: ["ingest-api": 2])
        try await addPhones(4, activity: "match-1", harness)
        try await waitUntil { try await summary(harness)["reports_made"] == .integer(8) }
        let clients = harness.ingests
        let answers = try await withThrowingTaskGroup(of: RawClient.Response.self) { group in
            for step in 0..<20 {
                let isEnd = step == 10
                let (method, path) = isEnd ? ("POST", Self.path + "/end") : ("PATCH", Self.path)
                group.addTask {
                    try await clients[step % 2].send(
                        method, path, body: #"{"content_state":{"step":\#(isEnd ? 99 : step)}}"#)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.allSatisfy { $0.status == 202 || $0.status == 409 })
        try await waitUntil { try await summary(harness)["states"]?["ended"] == .integer(4) }
        for answer in answers where answer.status == 202 {
            let task = try harness.task(in: answer)
            #expect(await harness.reports.report(of: task) != nil, "\(harness.lines)")
        }
        #expect(try await steps(harness) == [99])
        let counts = try #require(try await counts(harness))
        #expect(counts["after_end"] == .integer(0) && counts["arrived_older"] == .integer(0))
        try await harness.close()
    }

    /// Goal: a phone whose token is replaced while a push to the old one is unanswered shows the newest state, once its
    /// app has reported the new one. Method: Apple delivers a state, and never answers; the phones get new tokens.
    @Test func aTokenReplacedBeforeTheAnswerGetsTheNewestState() async throws {
        let harness = try await Harness(.embedded)
        try await addPhones(4, activity: "match-1", harness)
        try await waitUntil { try await summary(harness)["reports_made"] == .integer(8) }
        let fault = #"{"provider":"apns","kind":"stall","delivered":true,"next":4}"#
        #expect(try await harness.simulator.admin("POST", "/faults", body: fault).status == 201)
        let first = try await put(1, harness)
        try await waitUntil { try await counts(harness)?["received"] == .integer(4) }
        let rotation = try await harness.simulator.admin("POST", "/phones/rotate", body: #"{"which":"activity"}"#)
        #expect(rotation.status == 200, "\(rotation.text)")
        try await waitUntil { try await summary(harness)["reports_made"] == .integer(12) }
        let report = try #require(await harness.reports.report(of: first), "\(harness.lines)")
        #expect(report.targeted == 4)
        let second = try #require(await harness.reports.report(of: try await put(2, harness)), "\(harness.lines)")
        #expect(second.targeted == 4 && second[.delivered] == 4)
        #expect(try await steps(harness) == [2])
        #expect(try #require(try await counts(harness))["arrived_older"] == .integer(0))
        #expect(try await endpoints(harness) == ["liveactivity": 4])
        try await harness.close()
    }

    /// Goal: activities are rebuilt with their tokens and channels, and no phone gets a state that it takes for an old one.
    /// Method: Redis is emptied between two updates, and rebuilt from Kafka.
    @Test func aLossOfRedisLosesNoActivity() async throws {
        let harness = try await Harness(.kafka)
        try await addPhones(3, system: "18.0", harness)
        try await addPhones(2, system: "17.5", harness)
        try await waitUntil { try await summary(harness)["reports_made"] == .integer(5) }
        let start = try await begin(harness)
        #expect(try #require(await harness.reports.report(of: start), "\(harness.lines)")[.delivered] == 5)
        try await waitUntil { try await endpoints(harness) == ["channel": 1, "liveactivity": 2] }
        let before = try #require(await harness.reports.report(of: try await put(1, harness)), "\(harness.lines)")
        #expect(before.targeted == 3 && before[.delivered] == 3)
        try await harness.emptyRedis()
        let said = try await harness.rebuild()
        #expect(try await endpoints(harness) == ["channel": 1, "liveactivity": 2], "\(said)")
        let after = try #require(await harness.reports.report(of: try await put(2, harness)), "\(harness.lines)")
        #expect(after.targeted == 3 && after[.delivered] == 3, "\(after) \(harness.lines)")
        #expect(try await steps(harness) == [2])
        let end = try #require(await harness.reports.report(of: try await put(3, isEnd: true, harness)))
        #expect(end.targeted == 3 && end[.delivered] == 3, "\(end) \(harness.lines)")
        let shown = try await summary(harness)
        #expect(shown["states"]?["ended"] == .integer(5) && shown["sums"]?["overtaken"] == .integer(0))
        try await harness.close()
    }

    private static let path = "/apps/news/v1/activities/match-1"

    private func addPhones(
        _ count: Int, system: String = "18.0", activity: String? = nil, _ harness: Harness
    ) async throws {
        let url = "http://127.0.0.1:\(harness.ingest.port)/apps/news"
        let running = activity.map { #","activity":"\#($0)""# } ?? ""
        let answer = try await harness.simulator.admin(
            "POST", "/phones",
            body: #"""
                {"count":\#(count),"system":"\#(system)","attributes_type":"Match","report":{"url":"\#(url)"}\#(running)}
                """#)
        guard answer.status == 201 else { throw SetupError(description: "no phones: \(answer.status) \(answer.text)") }
    }

    private func summary(_ harness: Harness) async throws -> JSON {
        try JSON(try await harness.simulator.admin("GET", "/phones/summary").body)
    }

    private func counts(_ harness: Harness) async throws -> JSON? { try await summary(harness)["sums"] }

    /// The steps that any phone shows.
    private func steps(_ harness: Harness) async throws -> [Int64] {
        try await summary(harness)["content_states"]?.elements?.compactMap { shown in
            guard case .integer(let step) = shown["content_state"]?["step"] else { return nil }
            return step
        } ?? []
    }

    /// Starts the activity, with a channel, on all phones.
    private func begin(_ harness: Harness) async throws -> TaskID {
        try await harness.task(
            in: harness.ingest.send(
                "POST", "/apps/news/v1/activities",
                body: #"""
                    {"id":"match-1","type":"Match","updates":"channel","audience":{"all":true},
                     "content_state":{"step":0},"alert":{"title":"Kick-off"}}
                    """#))
    }

    /// The number of tokens and channels of the activity.
    private func endpoints(_ harness: Harness) async throws -> [String: Int] {
        let response = try await harness.ingest.send("GET", Self.path + "/devices")
        let protocols = try JSON(response.body)["devices"]?.elements?.compactMap { $0["protocol"]?.text } ?? []
        return Dictionary(protocols.map { ($0, 1) }, uniquingKeysWith: +)
    }

    private func put(_ step: Int, isEnd: Bool = false, _ harness: Harness) async throws -> TaskID {
        let path = Self.path + (isEnd ? "/end" : "")
        return try await harness.task(
            in: harness.ingest.send(isEnd ? "POST" : "PATCH", path, body: #"{"content_state":{"step":\#(step)}}"#))
    }
}
