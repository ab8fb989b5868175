import JSONKit
import PushModel
import ServiceKit
import Store
import TestSupport
import Testing

@testable import IngestAPI

/// `/event/:event` and `/v1/topics/:topic`.
@Suite struct TopicTests {
    private func subscriber(_ fixture: IngestFixture, on topic: String) async throws -> String {
        let path = "/subscriber/\(try await fixture.subscriber())/subscriptions/\(topic)"
        #expect(await fixture.form("POST", path).status == 201)
        return path
    }

    @Test func anEventShowsItsPublications() async throws {
        try await IngestFixture.run { fixture in
            #expect(await fixture.form("GET", "/event/sport").status == 404)
            let created = fixture.time.now.milliseconds / 1_000
            let path = try await subscriber(fixture, on: "sport")
            fixture.time.advance(by: .seconds(3))
            #expect(await fixture.form("GET", "/event/sport").text == #"{"created":\#(created),"total":1}"#)
            let native = await fixture.json("GET", "/v1/topics/sport", as: .publisher)
            #expect(native.json["subscribers"] == .integer(1) && native.json["publications"] == .integer(0))
            #expect(native.json["last"] == nil)

            let topic = try TopicName("sport")
            for offset in 1...3 as ClosedRange<Int64> {
                let publication = TopicPublication(
                    offset: offset, topic: topic, time: Timestamp(milliseconds: 7_000 + offset))
                try await fixture.topics.count([publication], from: 0, in: fixture.news)
            }
            #expect(await fixture.form("GET", "/event/sport").text == #"{"created":\#(created),"total":3,"last":7}"#)
            let counted = await fixture.json("GET", "/apps/news/v1/topics/sport", as: .publisher)
            #expect(counted.json["publications"] == .integer(3))
            #expect(counted.json["last"] == .string("1970-01-01T00:00:07.003Z"))
            #expect(await fixture.json("GET", "/v1/topics/sport", as: .shop).status == 404)

            #expect(await fixture.form("DELETE", path).status == 204)
            #expect(await fixture.form("GET", "/event/sport").text == "null")
        }
    }

    @Test func aPurgeEndsAllSubscriptions() async throws {
        try await IngestFixture.run { fixture in
            for (path, key) in [("/event/sport", IngestFixture.Key.publisher), ("/v1/topics/sport", .owner)] {
                let subscription = try await subscriber(fixture, on: "sport")
                #expect(await fixture.json("DELETE", path, as: .shop).status == 404)
                #expect(await fixture.json("DELETE", path, as: .news).status == 403)
                #expect(await fixture.json("DELETE", path, as: key).status == 204)
                #expect(await fixture.json("DELETE", path, as: key).status == 404)
                #expect(await fixture.form("GET", subscription).status == 404)
            }
            let gone = await fixture.json("DELETE", "/v1/topics/sport", as: .owner)
            #expect(gone.json["type"] == .string("urn:carillon:unknown-topic"))
            #expect(await fixture.json("DELETE", "/v1/topics/sport", as: .publisher).status == 403)
            #expect(await fixture.json("DELETE", "/event/a%20b", as: .publisher).status == 400)
            #expect(await fixture.json("GET", "/v1/topics/a%00b", as: .owner).status == 400)
        }
    }
}
