import JSONKit
import MemoryStore
import PushModel
import ServiceKit
import Store
import TestSupport
import Testing

@testable import IngestAPI

/// `GET /v1/statistics`.
@Suite struct StatisticsTests {
    private static let day = Duration.seconds(86_400)

    private func fold(
        _ fixture: IngestFixture, begins: Timestamp, app: AppID? = nil, topic: String = "news",
        campaign: String = "spring"
    ) {
        let outcomes = OutcomeCounts { $0 == .delivered ? 3 : $0 == .failed ? 1 : 0 }
        let parts = [
            CountedTask.Part(.total, value: "", outcomes: outcomes),
            CountedTask.Part(.topic, value: topic, outcomes: outcomes),
            CountedTask.Part(.label(name: "campaign"), value: campaign, outcomes: outcomes),
        ]
        _ = fixture.statistics.fold(
            CountedTask(Samples.freshTask(), of: app ?? fixture.news, begins: begins, closed: begins, parts: parts))
    }

    private func read(_ fixture: IngestFixture, _ query: String = "") async -> RawClient.Response {
        await fixture.json("GET", "/v1/statistics\(query)", as: .publisher)
    }

    @Test func theLastDaysAreReadByDefault() async throws {
        try await IngestFixture.run { fixture in
            let today = StatisticsInterval.day.start(of: fixture.time.now)
            fold(fixture, begins: today)
            fold(fixture, begins: today)
            fold(fixture, begins: today + (.zero - Self.day * 6))
            fold(fixture, begins: today + (.zero - Self.day * 7))
            fold(fixture, begins: today, app: try AppID("shop"))
            let answer = await read(fixture)
            #expect(answer.status == 200)
            #expect(answer.json["from"] == .string("\(today + (.zero - Self.day * 6))"))
            #expect(answer.json["to"] == .string("\(today + Self.day)"))
            #expect(answer.json["interval"] == .string("day") && answer.json["by"] == .string("total"))
            let rows = try #require(answer.json["rows"]?.elements)
            #expect(rows.map { $0["tasks"] } == [.integer(1), .integer(2)])
            let counts = try #require(rows.last?["counts"])
            #expect(counts["targeted"] == .integer(8) && counts["delivered"] == .integer(6))
            #expect(counts["failed"] == .integer(2) && counts["expired"] == .integer(0))
            #expect(answer.json["next"] == nil)
        }
    }

    @Test func aDimensionAndARangeAreChosen() async throws {
        try await IngestFixture.run { fixture in
            let hour = StatisticsInterval.hour.start(of: fixture.time.now)
            for (topic, campaign) in [("a", "x"), ("b", "x"), ("b", "y")] {
                fold(fixture, begins: hour, topic: topic, campaign: campaign)
            }
            let topics = await read(fixture, "?by=topic").json["rows"]?.elements
            #expect(topics?.map { $0["value"] } == [.string("a"), .string("b")])
            let range = "from=\(hour)&to=\(hour + .seconds(3_600))&interval=hour"
            let labels = await read(fixture, "?by=label&name=campaign&\(range)").json
            #expect(labels["name"] == .string("campaign") && labels["interval"] == .string("hour"))
            #expect(labels["rows"]?.elements?.map { $0["tasks"] } == [.integer(2), .integer(1)])
            let before = await read(fixture, "?interval=hour&to=\(hour)").json
            #expect(before["rows"]?.elements?.isEmpty == true)
            #expect(await read(fixture, "?by=label&name=wave").json["rows"]?.elements?.isEmpty == true)
        }
    }

    /// Receipts stand beside the outcomes of their day, and alone where no task of that value is closed yet.
    @Test func daysHaveTheReceipts() async throws {
        try await IngestFixture.run { fixture in
            fold(fixture, begins: fixture.time.now, topic: "a")
            fold(fixture, begins: fixture.time.now, topic: "c")
            let day = ReceiptProof.day(of: fixture.time.now)
            for (topic, devices) in [("b", UInt32(2)), ("c", 3)] {
                let marks = (0..<devices).map { number in
                    ReceiptMark(.opened, of: DeviceID(index: DeviceIndex(rawValue: number), tag: 1), on: .ios)
                }
                _ = fixture.receipts.count(
                    marks,
                    of: ReceiptTask(
                        Samples.freshTask(), of: fixture.news, day: day,
                        places: [StatisticsPlace(.topic, value: topic)]))
            }
            let rows = try #require(await read(fixture, "?by=topic").json["rows"]?.elements)
            #expect(rows.map { $0["value"] } == [.string("a"), .string("b"), .string("c")])
            #expect(rows.map { $0["tasks"] } == [.integer(1), .integer(0), .integer(1)])
            #expect(rows.map { $0["receipts"]?["opened"] } == [.integer(0), .integer(2), .integer(3)])
            let total = try #require(await read(fixture).json["rows"]?.elements)
            #expect(total.map { $0["receipts"]?["opened"] } == [.integer(5)])
            let hours = try #require(await read(fixture, "?by=topic&interval=hour").json["rows"]?.elements)
            #expect(hours.count == 2 && hours.allSatisfy { $0["receipts"] == nil })
        }
    }

    @Test(arguments: [
        ("?by=device", "by", "total, label, topic"), ("?by=label", "name", "1 to 32"),
        ("?by=label&name=A", "name", "1 to 32"), ("?by=topic&name=a", "name", "only for by=label"),
        ("?interval=week", "interval", "hour or day"), ("?from=yesterday", "from", "2026-12-24T18:00:00Z"),
        ("?to=2026-12-24", "to", "2026-12-24T18:00:00Z"), ("?to=1960-01-01T00:00:00Z", "to", "2026"),
        ("?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z", "from", "before to"),
        ("?from=2025-01-01T00:00:00Z&to=2026-02-06T00:00:00Z", "from", "400 days"),
        ("?from=2026-01-01T00:00:00Z&to=2026-02-02T00:00:00Z&interval=hour", "from", "31 days"),
        ("?per=day", "per", "unknown query parameter"),
    ])
    func whatCannotBeAskedIsRefused(query: String, field: String, advice: String) async throws {
        try await IngestFixture.run { fixture in
            let answer = await read(fixture, query)
            #expect(answer.status == 400)
            let error = try #require(answer.json["errors"]?.elements?.first)
            #expect(error["field"] == .string(field) && error["detail"]?.text?.contains(advice) == true, "\(error)")
        }
    }

    @Test func onlyReadersOfTheAppAreAnswered() async throws {
        try await IngestFixture.run { fixture in
            #expect(await fixture.json("GET", "/v1/statistics", as: .poster).status == 403)
            #expect(await fixture.json("GET", "/apps/news/v1/statistics", as: .shop).status == 404)
        }
    }

    /// Goal: an answer has a bound, and `next` is where the rest begins.
    @Test func aPageEndsWithAWholePeriod() async throws {
        try await IngestFixture.run { fixture in
            let today = StatisticsInterval.day.start(of: fixture.time.now)
            let outcomes = OutcomeCounts { $0 == .delivered ? 1 : 0 }
            let parts = (0..<1_000).map { CountedTask.Part(.topic, value: "t\($0)", outcomes: outcomes) }
            for days in 0..<12 {
                let begins = today + (.zero - Self.day * days)
                _ = fixture.statistics.fold(
                    CountedTask(Samples.freshTask(), of: fixture.news, begins: begins, closed: today, parts: parts))
            }
            let from = today + (.zero - Self.day * 11)
            let limits = JSONLimits(bytesMaximum: 8 << 20, valuesMaximum: 200_000, containersMaximum: 40_000)
            let first = try JSON(Array(await read(fixture, "?by=topic&from=\(from)").text.utf8), limits: limits)
            #expect(first["rows"]?.elements?.count == 10_000)
            let next = try #require(first["next"]?.text)
            #expect(next == "\(today + (.zero - Self.day))")
            let second = try JSON(Array(await read(fixture, "?by=topic&from=\(next)").text.utf8), limits: limits)
            #expect(second["rows"]?.elements?.count == 2_000 && second["next"] == nil)
        }
    }
}
