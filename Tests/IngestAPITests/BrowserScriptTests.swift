import TestSupport
import Testing

@testable import IngestAPI

/// The scripts for web pages, as browsers load them. What they do in a browser is tested by `make check-browser`.
@Suite struct BrowserScriptTests {
    private static let paths = ["/carillon.js", "/carillon-worker.js"]

    private func get(
        _ path: String, on fixture: IngestFixture, _ headers: [String: String] = [:]
    ) async -> RawClient.Response {
        await fixture.send("GET", path, body: [], headers: headers.merging(["Authorization": ""]) { $1 })
    }

    @Test(arguments: paths)
    func aPageOfAnyOriginLoadsItWithoutAKey(path: String) async throws {
        let source = try #require(SourceTree.text("Services/IngestAPI/Browser\(path)"))
        try await IngestFixture.run { fixture in
            let response = await get(path, on: fixture, ["Origin": "https://elsewhere.example"])
            #expect(response.status == 200 && response.text == source)
            for (name, value) in [
                ("content-type", "text/javascript; charset=utf-8"), ("access-control-allow-origin", "*"),
                ("cache-control", "public, max-age=600"), ("cross-origin-resource-policy", "cross-origin"),
                ("content-security-policy", "default-src 'none'; sandbox"), ("x-content-type-options", "nosniff"),
                ("vary", "Service-Worker"),
            ] { #expect(response.headers[name] == value, "\(name)") }
            #expect(response.headers["access-control-allow-credentials"] == nil)
        }
    }

    @Test(arguments: paths)
    func aKeptScriptIsNotSentAgain(path: String) async throws {
        try await IngestFixture.run { fixture in
            let tag = try #require(await get(path, on: fixture).headers["etag"])
            #expect(tag.hasPrefix("\"") && tag.hasSuffix("\"") && tag.utf8.count > 20)
            for known in [tag, "W/\(tag)", "\"other\", \(tag)", "\"other\",W/\(tag) ", "*"] {
                let response = await get(path, on: fixture, ["If-None-Match": known])
                #expect(response.status == 304 && response.text.isEmpty, "\(known)")
                #expect(response.headers["etag"] == tag && response.headers["access-control-allow-origin"] == "*")
            }
            for other in ["\"other\"", String(tag.dropLast()), "w/\(tag)", "\(tag)x", ",,", ""] {
                #expect(await get(path, on: fixture, ["If-None-Match": other]).status == 200, "\(other)")
            }
        }
    }

    /// A worker with this address' own script would control the pages of this address.
    @Test(arguments: paths)
    func itIsNoScriptOfAServiceWorkerOfThisAddress(path: String) async throws {
        try await IngestFixture.run { fixture in
            let tag = try #require(await get(path, on: fixture).headers["etag"])
            for headers in [["Service-Worker": "script"], ["Service-Worker": "script", "If-None-Match": tag]] {
                let response = await get(path, on: fixture, headers)
                #expect(response.status == 403)
                #expect(response.headers["content-type"] == "application/problem+json")
                #expect(response.detail?.contains("importScripts(\"https://push.example.com\(path)\")") == true)
            }
        }
    }

    @Test func theTwoScriptsHaveDifferentTags() async throws {
        try await IngestFixture.run { fixture in
            var tags: Set<String?> = []
            for path in Self.paths { tags.insert(await get(path, on: fixture).headers["etag"]) }
            #expect(tags.count == 2 && !tags.contains(nil))
        }
    }

    /// A page waits for them.
    @Test func theyAreSmall() throws {
        for path in Self.paths {
            let source = try #require(SourceTree.text("Services/IngestAPI/Browser\(path)"))
            #expect(source.utf8.count < 13 << 10, "\(path)")
        }
    }
}
