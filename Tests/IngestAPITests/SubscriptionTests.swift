import JSONKit
import Store
import TestSupport
import Testing

@testable import IngestAPI

/// `/subscriber/:id/subscriptions` and the routes below it.
@Suite struct SubscriptionTests {
    @Test func subscribesAndUnsubscribes() async throws {
        try await IngestFixture.run { fixture in
            let list = "/subscriber/\(try await fixture.subscriber())/subscriptions"
            #expect(await fixture.form("GET", list).text == "{}")
            let created = await fixture.form("POST", "\(list)/sport")
            #expect(created.status == 201)
            #expect(created.body.isEmpty)
            #expect(await fixture.form("POST", "\(list)/sport").status == 204)
            #expect(await fixture.form("GET", "\(list)/sport").text == #"{"ignore_message":false}"#)
            #expect(await fixture.form("GET", "\(list)/music").text == "null")
            #expect(await fixture.form("GET", "\(list)/music").status == 404)
            #expect(await fixture.form("POST", "\(list)/music", form: "ignore_message=1").status == 201)
            // The real pushd always answers false here, which is a bug.
            #expect(await fixture.form("GET", "\(list)/music").text == #"{"ignore_message":true}"#)
            #expect(
                await fixture.form("GET", list).text
                    == #"{"music":{"ignore_message":true},"sport":{"ignore_message":false}}"#)
            #expect(await fixture.form("DELETE", "\(list)/sport").status == 204)
            let gone = await fixture.form("DELETE", "\(list)/sport")
            #expect(gone.status == 404)
            #expect(gone.text == "null")
        }
    }

    @Test(arguments: [
        ("ignore_message=1", true), ("ignore_message=true", true), ("ignore_message=0", false),
        ("ignore_message=false", false), ("ignore_message=", false), ("", false),
        ("ignore_message=0&ignore_message=1", true), ("other=1", false),
    ])
    func theOptionIsRead(form: String, expected: Bool) async throws {
        try await IngestFixture.run { fixture in
            let path = "/subscriber/\(try await fixture.subscriber())/subscriptions/sport"
            // An update changes the options too.
            _ = await fixture.form("POST", path, form: "ignore_message=\(expected ? 0 : 1)")
            #expect(await fixture.form("POST", path, form: form).status == 204)
            #expect(await fixture.form("GET", path).json["ignore_message"] == .bool(expected))
        }
    }

    @Test(arguments: ["ignore_message=2", "ignore_message=yes", "ignore_message=%FF"])
    func anOptionThatIsNoneIsRefused(form: String) async throws {
        try await IngestFixture.run { fixture in
            let list = "/subscriber/\(try await fixture.subscriber())/subscriptions"
            #expect(await fixture.form("POST", "\(list)/sport", form: form).status == 400)
            #expect(await fixture.form("GET", list).text == "{}")
        }
    }

    @Test(arguments: [
        "user.newVideo:fkwhpd", "a@b", "A-1_2", String(repeating: "x", count: 100), "broadcast", "%73port",
    ])
    func theseAreEventNames(event: String) async throws {
        try await IngestFixture.run { fixture in
            let path = "/subscriber/\(try await fixture.subscriber())/subscriptions/\(event)"
            #expect(await fixture.form("POST", path).status == 201)
            #expect(await fixture.form("GET", path).status == 200)
        }
    }

    @Test(arguments: [
        String(repeating: "x", count: 101), String(repeating: "x", count: 8_000), "a%20b", "a%2Fb", "%C3%A9", "a*",
        "$a",
        "a%0A",
    ])
    func theseAreNot(event: String) async throws {
        try await IngestFixture.run { fixture in
            let list = "/subscriber/\(try await fixture.subscriber())/subscriptions"
            for method in ["GET", "POST", "DELETE"] {
                let response = await fixture.form(method, "\(list)/\(event)")
                #expect(response.status == 400)
                #expect(response.error?.hasPrefix("Invalid event name ") == true)
                #expect(response.body.count < 500)
            }
            #expect(await fixture.form("GET", list).text == "{}")
        }
    }

    /// The path cannot be decoded, so no route matches and the error has no dialect.
    @Test func aPathThatIsNoUTF8IsRefused() async throws {
        try await IngestFixture.run { fixture in
            let response = await fixture.form("GET", "/subscriber/%FF")
            #expect(response.status == 400)
            #expect(response.headers["content-type"] == "application/problem+json")
        }
    }

    @Test(arguments: [
        ("GET", ""), ("POST", ""), ("DELETE", ""), ("GET", "/sport"), ("POST", "/sport"), ("DELETE", "/sport"),
    ])
    func anUnknownSubscriberIsNotFound(method: String, path: String) async throws {
        try await IngestFixture.run { fixture in
            for id in ["J8lHY4X1XkU", "nobody"] {
                let response = await fixture.form(method, "/subscriber/\(id)/subscriptions\(path)", form: "sport=")
                #expect(response.status == 404)
                #expect(response.text == "null")
            }
        }
    }

    @Test func theBoundHoldsForOneMore() async throws {
        try await IngestFixture.run { fixture in
            let list = "/subscriber/\(try await fixture.subscriber())/subscriptions"
            let names = (0..<RegistryBounds.subscriptionsMaximum).map { "event\($0)=" }.joined(separator: "&")
            #expect(await fixture.form("POST", list, form: names).status == 204)
            let response = await fixture.form("POST", "\(list)/more")
            #expect(response.status == 400)
            #expect(response.error != nil)
            #expect(await fixture.form("GET", "\(list)/more").status == 404)
            #expect(await fixture.form("POST", "\(list)/event1").status == 204)
        }
    }
}
