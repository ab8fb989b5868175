import TestSupport
import Testing

@testable import IngestAPI

@Suite struct ConsoleFileTests {
    private static let folder = "Services/IngestAPI/Console/Pages"

    /// Goal: every file of the folder is served as it is, and the page has room for nothing else.
    @Test func everyFileIsServed() async throws {
        let names = SourceTree.entries(of: Self.folder)
        #expect(names.count == ConsoleFile.all.count)
        try await IngestFixture.run(hasConsole: true) { fixture in
            var bytes = 0
            for name in names {
                let path = name == "console.html" ? "/console" : "/console/\(name)"
                let response = await fixture.send("GET", path, body: [], headers: ["Authorization": ""])
                #expect(response.status == 200, "\(path)")
                #expect(response.text == SourceTree.text("\(Self.folder)/\(name)"), "\(path)")
                bytes += response.body.count
                let again = await fixture.send(
                    "GET", path, body: [],
                    headers: ["Authorization": "", "If-None-Match": response.headers["etag"] ?? ""])
                #expect(again.status == 304)
            }
            #expect(bytes <= 100_000, "the console has \(bytes) bytes")
        }
    }

    /// Goal: no script but the console's own runs on the page, and no other page shows it in a frame.
    @Test func browsersAreToldWhatThePageMayDo() async throws {
        try await IngestFixture.run(hasConsole: true) { fixture in
            let page = await fixture.send("GET", "/console", body: [], headers: ["Authorization": ""])
            let policy = try #require(page.headers["content-security-policy"])
            for part in ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "connect-src 'self'"] {
                #expect(policy.contains(part))
            }
            #expect(!policy.contains("unsafe") && !policy.contains("http"))
            #expect(page.headers["x-frame-options"] == "DENY" && page.headers["x-content-type-options"] == "nosniff")
            #expect(!page.text.contains("style=") && !page.text.contains(" on") && !page.text.contains("<script>"))
            #expect(!page.text.contains("//"), "the page names another host")
        }
    }
}
