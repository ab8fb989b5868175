import ServiceKit
import TestSupport

@testable import HTTPServer

/// Runs the body with a server on a free port.
func withRunning(
    _ configuration: HTTPServerConfiguration = HTTPServerConfiguration(), router: HTTPRouter,
    metrics: Metrics = Metrics(), body: (HTTPServer, UInt16) async throws -> Void
) async throws {
    let server = HTTPServer(configuration: configuration, router: router, log: .silent, metrics: metrics)
    try server.start()
    guard let port = server.port else { preconditionFailure("a started server has a port") }
    try await withCleanup({ await server.stop(within: .zero) }) { try await body(server, port) }
}

/// `GET /` answers "hello", `POST /echo` the body of the request, `POST /large` the number of its bytes.
func greetingRouter() -> HTTPRouter {
    var router = HTTPRouter()
    router.on(.get, pattern: "/") { _ in .text("hello") }
    router.on(.post, pattern: "/echo") { request in HTTPResponse(.ok, body: .bytes(request.body.bytes)) }
    router.on(.post, pattern: "/large", bodyBytesMaximum: 32 << 20) { request in .text("\(request.body.bytes.count)") }
    return router
}

extension Log {
    static let silent = Log(service: "test", sink: NoSink())
}

private struct NoSink: LogSink {
    func write(line: String) {}
}

/// Blocks handlers until the test opens it.
final class Gate: Sendable {
    private let state = Monitor((arrived: 0, isOpen: false))

    func pass() async {
        await blocking { [state] in
            state.change { $0.arrived += 1 }
            _ = state.wait(timeout: .hangLimit) { $0.isOpen ? true : nil }
        }
    }

    func open() {
        state.change { $0.isOpen = true }
    }

    /// Waits until this many handlers have arrived.
    func arrivals(_ count: Int) async -> Bool {
        await blocking { [state] in state.wait(timeout: .hangLimit) { $0.arrived >= count ? true : nil } ?? false }
    }
}

/// Collects values that a test waits for.
final class Inbox<Element: Sendable>: Sendable {
    private let items = Monitor<[Element]>([])

    func put(_ item: Element) {
        items.change { $0.append(item) }
    }

    func first(_ count: Int) async -> [Element]? {
        await blocking { [items] in
            items.wait(timeout: .hangLimit) { $0.count >= count ? Array($0.prefix(count)) : nil }
        }
    }
}
