import JSONKit
import PushModel
import ServiceKit
import Store
import TestSupport
import Testing

@testable import IngestAPI

/// A failed store is never treated as a store without the data.
@Suite struct StoreFailureTests {
    static let requests: [(String, String, String)] = [
        ("POST", "/subscribers", "proto=apns&token=\(SampleTokens.apns)"), ("GET", "/subscriber/ID", ""),
        ("POST", "/subscriber/ID", "lang=fr"), ("POST", "/subscriber/\(SampleTokens.apns)", ""),
        ("DELETE", "/subscriber/ID", ""),
        ("POST", "/subscriber/ID/test", ""), ("GET", "/subscriber/ID/subscriptions", ""),
        ("POST", "/subscriber/ID/subscriptions", "sport="), ("DELETE", "/subscriber/ID/subscriptions", ""),
        ("GET", "/subscriber/ID/subscriptions/sport", ""), ("POST", "/subscriber/ID/subscriptions/sport", ""),
        ("DELETE", "/subscriber/ID/subscriptions/sport", ""),
    ]

    @Test(arguments: [
        (StoreError.Code.unavailable, "The registry is unavailable"), (.refused, "The registry is unavailable"),
        (.notReady, "The registry is not ready"), (.full, "The registry is full"),
    ])
    func everyRouteSaysToComeBack(code: StoreError.Code, message: String) async throws {
        try await everyRoute(code) { response in
            #expect(response.status == 503)
            #expect(response.headers["retry-after"] == "5")
            #expect(response.error == message)
        }
    }

    @Test func whatCannotBeReadIsAnErrorOfOurs() async throws {
        try await everyRoute(.corrupt) { response in
            #expect(response.status == 500)
            #expect(response.error == "Internal error")
        }
    }

    /// Goal: the log gives the reason for every 5xx, in both dialects.
    @Test(arguments: [
        (StoreError.Code.unavailable, "warning"), (.refused, "warning"), (.notReady, "warning"), (.full, "warning"),
        (.corrupt, "error"),
    ])
    func whatIsAnswered5xxIsLogged(code: StoreError.Code, level: String) async throws {
        try await IngestFixture.run { fixture in
            let id = try await fixture.subscriber()
            fixture.registry.fail(with: StoreError(code, message: "what the store says"))
            #expect(await fixture.form("GET", "/subscriber/\(id)").status >= 500)
            let dryRun = #"{"audience":{"topic":"a"},"users":["u"],"message":{"body":"x"}}"#
            #expect(await fixture.json("POST", "/v1/tasks?dry_run=true", json: dryRun, as: .publisher).status >= 500)
            func lines() -> [String] { fixture.log.lines.filter { $0.contains("what the store says") } }
            #expect(lines().count == 1, "expected one line per kind and second: \(lines())")
            fixture.time.advance(by: .seconds(1))
            #expect(await fixture.form("GET", "/subscriber/\(id)").status >= 500)
            #expect(lines().count == 2 && lines().allSatisfy { $0.contains("\"level\":\"\(level)\"") })
            #expect(lines().last?.contains("\"count\":\"2\"") == true, "\(lines())")
        }
    }

    @Test func aBoundOfTheRegistryIsTheClients() async throws {
        try await everyRoute(.tooMany) { response in
            #expect(response.status == 400)
            #expect(response.detail == "what the store says")
        }
    }

    /// Goal: a store that fills up refuses permanent data first, then tasks, and a refused request leaves nothing
    /// behind; registered devices are still served.
    @Test func aStoreThatFillsRefusesInStages() async throws {
        try await IngestFixture.run { fixture in
            let id = try await fixture.subscriber()
            let other = "proto=fcm&token=\(SampleTokens.fcm)"
            func task(_ key: String) async -> RawClient.Response {
                await fixture.json(
                    "POST", "/v1/tasks", json: TaskCreationTests.small, as: .publisher,
                    headers: ["Idempotency-Key": key])
            }
            fixture.percentUsed.change { $0 = 62 }
            let refused = await fixture.form("POST", "/subscribers", form: other)
            #expect(refused.status == 503 && refused.headers["retry-after"] == "5")
            #expect(await fixture.form("POST", "/subscriber/\(id)/subscriptions/sport").status == 503)
            #expect(
                await fixture.form("POST", "/subscribers", form: "proto=apns&token=\(SampleTokens.apns)").status == 200)
            #expect(await fixture.form("POST", "/subscriber/\(id)", form: "lang=de").status == 204)
            #expect(await task("a").status == 201)
            fixture.percentUsed.change { $0 = 70 }
            let late = await task("b")
            #expect(late.status == 503 && late.headers["retry-after"] != nil)
            let repeated = await task("a")
            #expect(repeated.status == 201 && repeated.headers["idempotency-replayed"] == "true")
            #expect(try await fixture.archive.tasks(of: try AppID("news"), before: nil, limit: 10).count == 1)
            #expect(await fixture.form("DELETE", "/subscriber/\(id)").status == 204)
            fixture.percentUsed.change { $0 = 61 }
            #expect(await task("b").status == 201)
            #expect(await fixture.form("POST", "/subscribers", form: other).status == 201)
        }
    }

    /// Also with ids that do not exist; afterwards the data is unchanged.
    private func everyRoute(_ code: StoreError.Code, check: (RawClient.Response) -> Void) async throws {
        try await IngestFixture.run { fixture in
            let id = try await fixture.subscriber()
            let before = await fixture.form("GET", "/subscriber/\(id)").text
            fixture.registry.fail(with: StoreError(code, message: "what the store says"))
            for (method, path, form) in StoreFailureTests.requests {
                for id in [id, "J8lHY4X1XkU"] {
                    check(await fixture.form(method, path.replacing("ID", with: id), form: form))
                }
            }
            fixture.registry.fail(with: nil)
            #expect(await fixture.form("GET", "/subscriber/\(id)").text == before)
        }
    }
}
