import Apps
import JSONKit
import PushModel
import ServiceKit
import TestSupport
import Testing

@testable import IngestAPI

/// `POST /v1/stream-tickets`.
@Suite struct StreamTicketRouteTests {
    @Test func aTicketIsMade() async throws {
        try await IngestFixture.run { fixture in
            let response = await fixture.json(
                "POST", "/v1/stream-tickets", json: #"{"topics":["sports","news"],"life":"2h"}"#, as: .owner)
            #expect(response.status == 201, "\(response.text)")
            #expect(response.headers["cache-control"] == "no-store")
            let expires = (fixture.time.now + .seconds(7_200)).description
            let json = try JSON(response.body)
            #expect(json["expires"]?.text == expires)
            let text = try #require(json["ticket"]?.text)
            let found = try #require(fixture.apps.ticket(text, now: fixture.time.now))
            #expect(found.ticket.app == fixture.news && found.ticket.keyID == fixture.keyID(.owner))
            #expect(found.ticket.topics.map(\.text) == ["sports", "news"])
            #expect(fixture.apps.ticket(text, now: fixture.time.now + .seconds(7_200)) == nil)
            #expect(!fixture.log.contains(text))
        }
    }

    @Test(arguments: [
        (#"{}"#, "topics"), (#"{"topics":[]}"#, "topics"), (#"{"topics":[""]}"#, "topics[0]"),
        (#"{"topics":["a\nb"]}"#, "topics[0]"), (#"{"topics":["a"],"life":"25h"}"#, "life"),
        (#"{"topics":["a"],"life":"1s"}"#, "life"), (#"{"topics":["a"],"expires":"1h"}"#, "expires"),
    ])
    func whatIsInvalidIsNamed(body: String, field: String) async throws {
        try await IngestFixture.run { fixture in
            let response = await fixture.json("POST", "/v1/stream-tickets", json: body, as: .owner)
            #expect(response.status == 400 && response.text.contains("\"field\":\"\(field)\""), "\(response.text)")
        }
    }

    @Test func aTicketFitsIntoAURL() async throws {
        try await IngestFixture.run { fixture in
            let topics = JSONText.array((0..<32).map { String(repeating: "t", count: 200) + "\($0)" })
            let response = await fixture.json("POST", "/v1/stream-tickets", json: #"{"topics":\#(topics)}"#, as: .owner)
            #expect(response.status == 400 && response.text.contains("too long together"), "\(response.text)")
        }
    }

    /// A ticket ends with the key that made it, so there is none for an address.
    @Test func onlyKeysThatListenMakeTickets() async throws {
        try await IngestFixture.run(openRange: "127.0.0.1/32") { fixture in
            let body = #"{"topics":["sports"]}"#
            let poster = await fixture.json("POST", "/v1/stream-tickets", json: body, as: .poster)
            #expect(poster.status == 403)
            let app = await fixture.json("POST", "/v1/stream-tickets", json: body, as: .app)
            #expect(app.status == 403)
        }
    }
}
