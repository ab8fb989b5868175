import JSONKit
import TestSupport
import Testing

@testable import IngestAPI

/// What providers would get of a task that is not accepted.
@Suite struct PreviewTests {
    private func preview(
        _ json: String, on fixture: IngestFixture, as key: IngestFixture.Key = .owner
    ) async -> RawClient.Response {
        await fixture.json("POST", "/v1/previews", json: json, as: key)
    }

    private func members(_ name: String, of response: RawClient.Response) -> [JSON?] {
        response.json["previews"]?.elements?.map { $0[name] } ?? []
    }

    @Test func eachProviderAndLanguageIsShown() async throws {
        try await IngestFixture.run { fixture in
            let json =
                #"{"audience":{"topic":"a"},"message":{"title":{"default":"Hi","fr":"Salut ${var.n}"},"body":"x"},"#
                + #""variables":{"n":"Ada"}}"#
            let response = await preview(json, on: fixture)
            #expect(response.status == 200, "\(response.text)")
            #expect(members("provider", of: response) == ["apns", "fcm", "apns", "fcm"].map { .string($0) })
            #expect(members("platform", of: response) == ["ios", "android", "ios", "android"].map { .string($0) })
            #expect(members("language", of: response) == [.null, .null, .string("fr"), .string("fr")])
            #expect(members("title", of: response).last == .string("Salut Ada"))
            #expect(members("body", of: response).first == .string("x"))
            #expect(response.json["omitted"] == .integer(0) && response.json["problems"] == .array([]))
            let first = try #require(response.json["previews"]?.elements?.first)
            let payload = try #require(first["payload"]?.text)
            #expect(first["bytes"] == .integer(Int64(payload.utf8.count)))
            #expect(first["bytes_maximum"] == .integer(4_096))
            #expect(try JSON(payload)["aps"]?["alert"]?["title"] == .string("Hi"))
            #expect(fixture.bus.sent.isEmpty)
            #expect(try await fixture.listed().isEmpty)
        }
    }

    @Test func anAppWithoutProvidersSeesTheFirstOfEachPlatform() async throws {
        try await IngestFixture.run { fixture in
            let response = await preview(
                #"{"users":["a"],"message":{"body":"x"},"platforms":["ios","android"]}"#, on: fixture, as: .shop)
            #expect(members("provider", of: response).contains(.string("apns")), "\(response.text)")
            #expect(members("provider", of: response).contains(.string("fcm")))
        }
    }

    @Test func flawsAreProblemsAndNoRefusals() async throws {
        try await IngestFixture.run { fixture in
            let long = String(repeating: "x", count: 4_000)
            let json =
                #"{"users":["a"],"send_at":"1969-01-01T00:00:00Z","message":{"title":{"default":"Hi","fr":"\#(long)"},"#
                + #""body":"\#(long)"}}"#
            let response = await preview(json, on: fixture)
            #expect(response.status == 200)
            let paths = response.json["problems"]?.elements?.compactMap { $0["path"]?.text } ?? []
            #expect(paths.contains("send_at") && paths.count > 1, "\(response.json["problems"] ?? .null)")
            let malformed = await preview(#"{"users":["a"],"message":{"body":7}}"#, on: fixture)
            #expect(malformed.status == 400)
        }
    }

    @Test func previewsAreBounded() async throws {
        try await IngestFixture.run { fixture in
            let languages = (0..<100).map { #""x\#($0)":"t\#($0)""# }.joined(separator: ",")
            let response = await preview(
                #"{"users":["a"],"message":{"body":{"default":"x",\#(languages)}}}"#, on: fixture)
            #expect(members("title", of: response).count == 64, "\(response.text.prefix(300))")
            #expect(response.json["omitted"] == .integer(138))
        }
    }

    @Test func aBroadcastNeedsItsScope() async throws {
        try await IngestFixture.run { fixture in
            let response = await preview(
                #"{"audience":{"all":true},"message":{"body":"x"}}"#, on: fixture, as: .publisher)
            #expect(response.status == 403)
            #expect(response.detail == "The key has no scope broadcast for this app.")
        }
    }
}
