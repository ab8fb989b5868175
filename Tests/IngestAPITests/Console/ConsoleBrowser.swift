import JSONKit
import TestSupport
import Testing

@testable import IngestAPI

/// A signed-in browser.
struct ConsoleBrowser {
    let fixture: IngestFixture
    let cookie: String
    let token: String

    /// Signs in as the page does.
    init(_ fixture: IngestFixture, as key: IngestFixture.Key = .owner, origin: String = "http://test") async throws {
        self.fixture = fixture
        let response = await ConsoleBrowser.signIn(fixture, key: fixture.secret(key), headers: ["Origin": origin])
        #expect(response.status == 201, "\(response.text)")
        cookie = try #require(response.headers["set-cookie"]?.split(separator: ";").first.map(String.init))
        token = try #require(response.json["csrf"]?.text)
    }

    static func signIn(
        _ fixture: IngestFixture, key: String, headers: [String: String] = [:]
    ) async -> RawClient.Response {
        let defaults = ["Authorization": "", "Content-Type": "application/json", "Sec-Fetch-Site": "same-origin"]
        return await fixture.send(
            "POST", "/console/session", body: Array("{\"key\":\"\(key)\"}".utf8),
            headers: defaults.merging(headers) { $1 })
    }

    func send(
        _ method: String, _ path: String, json: String = "", headers: [String: String] = [:]
    ) async -> RawClient.Response {
        let defaults = [
            "Authorization": "", "Cookie": cookie, "Carillon-CSRF": token, "Sec-Fetch-Site": "same-origin",
            "Content-Type": json.isEmpty ? "" : "application/json",
        ]
        return await fixture.send(
            method, path, body: Array(json.utf8), headers: defaults.merging(headers) { $1 })
    }
}
