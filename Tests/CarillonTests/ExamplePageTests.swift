import Apps
import HTTPServer
import JSONKit
import PushModel
import ServiceKit
import TestSupport
import Testing

@testable import Carillon

/// The page of Web Push that `carillon up --demo` serves. What it does in a browser is tested by `make check-browser`.
@Suite struct ExamplePageTests {
    private let data = TemporaryDirectory("data")

    private func withPage(_ body: (RawClient) async throws -> Void) async throws {
        let server = HTTPServer(
            configuration: HTTPServerConfiguration(),
            router: ExamplePage(api: "http://127.0.0.1:8080", key: "ck_key").router,
            log: Log(service: "test", sink: CollectingSink()), metrics: Metrics())
        try server.start()
        let port = try #require(server.port)
        try await withCleanup({ await server.stop(within: .zero) }) {
            try await body(await blocking { RawClient(port: port) })
        }
    }

    private func get(_ path: String, by client: RawClient) async throws -> RawClient.Response {
        let response = await blocking {
            client.send("GET \(path) HTTP/1.1\r\nHost: test\r\n\r\n")
            return client.receiveResponse()
        }
        return try #require(response)
    }

    @Test(arguments: [
        ("/", "index.html", "text/html"), ("/style.css", "style.css", "text/css"),
        ("/app.js", "app.js", "text/javascript"), ("/carillon-worker.js", "carillon-worker.js", "text/javascript"),
    ])
    func itIsTheOneInTheDocumentation(path: String, file: String, type: String) async throws {
        let source = try #require(SourceTree.text("docs/web-push/\(file)"))
        try await withPage { client in
            let response = try await get(path, by: client)
            #expect(response.status == 200)
            #expect(response.headers["content-type"] == "\(type); charset=utf-8")
            #expect(response.headers["x-content-type-options"] == "nosniff")
            let filled = source.replacing("https://push.example.com", with: "http://127.0.0.1:8080")
                .replacing("PUBLIC_KEY", with: "ck_key")
            #expect(response.text == filled)
        }
    }

    /// The policy names the only other address from which the page may run and read anything.
    @Test func itRunsUnderAStrictPolicy() async throws {
        try await withPage { client in
            let policy = try #require(try await get("/", by: client).headers["content-security-policy"])
            #expect(policy.hasPrefix("default-src 'none'; script-src 'self' http://127.0.0.1:8080; "))
            #expect(policy.contains("connect-src http://127.0.0.1:8080; "))
            #expect(!policy.contains("unsafe"))
        }
    }

    @Test func theScriptsHaveBothPlaceholders() throws {
        let script = try #require(SourceTree.text("docs/web-push/app.js"))
        #expect(script.contains("https://push.example.com/carillon.js") && script.contains("\"PUBLIC_KEY\""))
        let worker = try #require(SourceTree.text("docs/web-push/carillon-worker.js"))
        #expect(worker == "importScripts(\"https://push.example.com/carillon-worker.js\");\n")
    }

    @Test func itsKeyIsBoundToItsOriginAndKept() throws {
        let app = try AppID("demo")
        let folder = try DataFolder(making: data.path)
        let time = ManualTimeSource()
        try LocalApp(app, in: folder, time: time).prepare()
        let key = ExampleKey(app: app, folder: folder, time: time)
        let page = try #require(WebOrigin("http://127.0.0.1:8082"))
        let value = try key.value(boundTo: page)
        #expect(try key.value(boundTo: page) == value)
        let credentials = try #require(AppSurvey(folder.appsConfiguration).apps.first).credentials
        let own = credentials.filter(\.rights.isPublic)
        #expect(own.map(\.id) == [APIKey(value)?.id])
        #expect(own.first?.rights.origins == [page] && own.first?.rights.scopes == [.register])

        // Another port is another origin, for which the first key is of no use.
        let other = try #require(WebOrigin("http://127.0.0.1:20001"))
        let second = try key.value(boundTo: other)
        #expect(second != value)
        #expect(try key.value(boundTo: other) == second)
        _ = data.write("page-key", content: "no key\n")
        #expect(try key.value(boundTo: other) != second)
    }
}
