import JSONKit
import MemoryStore
import PushModel
import ServiceKit
import Store
import TaskModel
import TestSupport
import Testing

@testable import IngestAPI

/// `GET /v1/campaigns/NAME`.
@Suite struct CampaignTests {
    private static let day = Duration.seconds(86_400)

    private func fold(
        _ fixture: IngestFixture, _ method: DeliveryWindow.Method, delivered: Int, opened: Int,
        campaign: String = "spring", begins: Timestamp? = nil
    ) {
        let begins = begins ?? fixture.time.now
        let value = CampaignCohort(campaign: campaign, method: method).text
        let outcomes = OutcomeCounts { $0 == .delivered ? delivered : $0 == .failed ? 1 : 0 }
        _ = fixture.statistics.fold(
            CountedTask(
                Samples.freshTask(), of: fixture.news, begins: begins, closed: begins,
                parts: [CountedTask.Part(.cohort, value: value, outcomes: outcomes)]))
        let marks = (0..<opened).map { number in
            ReceiptMark(.opened, of: DeviceID(index: DeviceIndex(rawValue: UInt32(number)), tag: 1), on: .ios)
        }
        _ = fixture.receipts.count(
            marks,
            of: ReceiptTask(
                Samples.freshTask(), of: fixture.news, day: ReceiptProof.day(of: begins),
                places: [StatisticsPlace(.cohort, value: value)]))
    }

    private func read(_ fixture: IngestFixture, _ path: String = "spring") async -> RawClient.Response {
        await fixture.json("GET", "/v1/campaigns/\(path)", as: .publisher)
    }

    private func numbers(_ json: JSON?) -> [Double]? {
        json?.elements?.compactMap { value in
            if case .number(let number) = value { number } else { nil }
        }
    }

    /// The intervals are those of R's `prop.test` without correction, and of Newcombe's tenth method.
    @Test func bothCohortsAreCompared() async throws {
        try await IngestFixture.run { fixture in
            fold(fixture, .contextAware, delivered: 290, opened: 58)
            fold(fixture, .contextAware, delivered: 200, opened: 40, begins: fixture.time.now + (.zero - Self.day * 3))
            fold(fixture, .traditional, delivered: 480, opened: 48)
            fold(fixture, .traditional, delivered: 7, opened: 7, campaign: "summer")
            fold(fixture, .traditional, delivered: 7, opened: 7, begins: fixture.time.now + (.zero - Self.day * 31))
            let answer = await read(fixture)
            #expect(answer.status == 200)
            let aware = try #require(answer.json["cohorts"]?["context_aware"])
            #expect(aware["tasks"] == .integer(2) && aware["sent"] == .integer(492))
            #expect(aware["delivered"] == .integer(490) && aware["opened"] == .integer(98))
            #expect(aware["open_rate"] == .number(0.2))
            #expect(numbers(aware["open_rate_interval"]) == [0.16698, 0.23769])
            let traditional = try #require(answer.json["cohorts"]?["traditional"])
            #expect(traditional["tasks"] == .integer(1) && traditional["opened"] == .integer(48))
            #expect(numbers(traditional["open_rate_interval"]) == [0.07626, 0.13009])
            let difference = try #require(answer.json["difference"])
            #expect(difference["open_rate"] == .number(0.1) && difference["is_significant"] == .bool(true))
            #expect(numbers(difference["interval"]) == [0.05532, 0.14454])
        }
    }

    @Test func aCampaignWithoutTasksHasNoRates() async throws {
        try await IngestFixture.run { fixture in
            let answer = await read(fixture, "none")
            #expect(answer.status == 200 && answer.json["difference"] == .null)
            let cohort = try #require(answer.json["cohorts"]?["traditional"])
            #expect(cohort["tasks"] == .integer(0) && cohort["open_rate"] == .null)
            #expect(cohort["open_rate_interval"] == .null && cohort["delivery_rate"] == .null)
        }
    }

    /// A slash in the name of a campaign does not make it another method's.
    @Test func namesAreComparedWhole() async throws {
        try await IngestFixture.run { fixture in
            fold(fixture, .contextAware, delivered: 5, opened: 0, campaign: "a/b")
            fold(fixture, .contextAware, delivered: 6, opened: 0, campaign: "b")
            let answer = await read(fixture, "a%2Fb")
            #expect(answer.json["cohorts"]?["context_aware"]?["delivered"] == .integer(5), "\(answer.text)")
            #expect(await read(fixture, "b").json["cohorts"]?["context_aware"]?["delivered"] == .integer(6))
        }
    }

    @Test func theStatisticsKnowCohorts() async throws {
        try await IngestFixture.run { fixture in
            fold(fixture, .traditional, delivered: 5, opened: 1)
            let answer = await fixture.json("GET", "/v1/statistics?by=cohort", as: .publisher)
            let row = try #require(answer.json["rows"]?.elements?.first)
            #expect(row["value"] == .string("traditional/spring"))
            #expect(row["receipts"]?["opened"] == .integer(1))
        }
    }

    @Test(arguments: [
        ("spring?from=x", "from"), ("spring?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z", "from"),
        ("spring?from=2026-01-01T00:00:00Z&to=2026-04-02T00:00:00Z", "from"), ("spring?days=3", "days"),
        ("%01", "campaign"),
    ])
    func wrongQueriesAreRefused(_ path: String, field: String) async throws {
        try await IngestFixture.run { fixture in
            let answer = await read(fixture, path)
            #expect(answer.status == 400)
            #expect(answer.json["errors"]?.elements?.map { $0["field"]?.text } == [field], "\(answer.text)")
        }
    }

    @Test(arguments: [(0, 10), (10, 10), (1, 1), (5, 100_000)])
    func anIntervalHoldsItsRate(_ successes: Int, trials: Int) throws {
        let proportion = Proportion(successes, of: trials)
        let (rate, interval) = (try #require(proportion.rate), try #require(proportion.interval))
        #expect(interval.lowerBound >= 0 && interval.upperBound <= 1)
        #expect(interval.lowerBound <= rate && rate <= interval.upperBound)
        let same = try #require(proportion.difference(from: proportion))
        #expect(same.rate == 0 && same.interval.contains(0))
    }
}
