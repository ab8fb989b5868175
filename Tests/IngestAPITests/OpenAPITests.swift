import Bus
import MemoryStore
import ServiceKit
import TestSupport
import Testing

@testable import Apps
@testable import HTTPServer
@testable import IngestAPI

/// `docs/api/openapi.yaml` matches the routes, in both directions, and the service serves it.
@Suite struct OpenAPITests {
    private let document: String

    init() throws {
        document = try #require(SourceTree.text("docs/api/openapi.yaml"))
    }

    private var router: HTTPRouter {
        let time = ManualTimeSource()
        let registry = MemoryRegistry(time: time, random: SeededRandomSource(seed: 1))
        let apps = AppSnapshot([], pepper: nil)
        let tasks = TaskAccess.inMemory(MemoryTaskArchive(), producer: TestProducer(), time: time)
        let environment = WorkerEnvironment(
            time: time, random: SeededRandomSource(seed: 2), log: Log(service: "test", sink: CollectingSink()),
            metrics: Metrics(), health: Health(time: time))
        let gatekeeper = Gatekeeper(
            limits: RequestLimits(), crossOrigin: CrossOrigin { _ in false },
            access: { apps.access(presented: $0, peer: $1, now: time.now) })
        return IngestRoutes(
            IngestFixture.parts(registry, memory: registry, tasks: tasks, environment: environment),
            gatekeeper: gatekeeper
        ).router
    }

    @Test func listsEveryRouteAndNothingElse() {
        let routes = Set(router.routeNames)
        let listed = Set(documentedRoutes())
        #expect(listed.subtracting(routes) == [], "in the document only")
        #expect(routes.subtracting(listed) == [], "in the code only")
        #expect(routes.count > 20)
    }

    @Test func isServedByteByByte() async throws {
        try await IngestFixture.run { fixture in
            let response = await fixture.form("GET", "/openapi.yaml", headers: ["Authorization": ""])
            #expect(response.status == 200)
            #expect(response.headers["content-type"] == "application/yaml")
            #expect(response.text == document)
        }
    }

    @Test func aTaskOfABatchIsATaskWithAKey() {
        let task = properties(of: "NewTask")
        #expect(task.count > 15)
        #expect(properties(of: "NewBatchTask") == task + ["idempotency_key"])
    }

    private func properties(of schema: String) -> [String] {
        let lines = document.split(separator: "\n", omittingEmptySubsequences: false)
        guard let start = lines.firstIndex(of: "    \(schema):"),
            let first = lines[start...].firstIndex(of: "      properties:")
        else { return [] }
        return lines[(first + 1)...].prefix { $0.hasPrefix("       ") }.compactMap { line in
            guard line.hasPrefix("        "), !line.hasPrefix("         ") else { return nil }
            return line.split(separator: ":").first.map { $0.trimmingPrefix { $0 == " " } }.map { String($0) }
        }
    }

    /// The document is indented by two: paths are the keys of the first level below `paths`, methods of the second. A
    /// path also exists below an app unless it names its own servers.
    private func documentedRoutes() -> [String] {
        var routes: [String] = []
        var path = ""
        var methods: [String] = []
        var isAtRootOnly = false
        func finish() {
            for base in isAtRootOnly ? [""] : ["", "/apps/:app"] {
                routes += methods.map { "\($0.uppercased()) \(base)\(path)" }
            }
            (methods, isAtRootOnly) = ([], false)
        }
        for line in document.split(separator: "\n").drop(while: { $0 != "paths:" }).dropFirst() {
            guard line.hasPrefix("  ") else { break }
            if line.hasPrefix("  /") {
                finish()
                path = String(line.dropFirst(2).dropLast()).replacing("{", with: ":").replacing("}", with: "")
            } else if line.hasPrefix("    "), !line.hasPrefix("     ") {
                let key = String(line.dropFirst(4).prefix { $0 != ":" })
                if key == "servers" { isAtRootOnly = true }
                if ["get", "post", "put", "patch", "delete", "options"].contains(key) { methods.append(key) }
            }
        }
        finish()
        return routes
    }
}
