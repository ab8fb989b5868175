import ServiceKit

/// A server as a service of the process: it listens from `run` until it is stopped.
package struct HTTPService: Service {
    package let name: String
    private let server: HTTPServer
    private let stopped = OneTimeEvent()

    package init(_ name: String, server: HTTPServer) {
        self.name = name
        self.server = server
    }

    package func run() async throws {
        try server.start()
        await stopped.wait()
        await server.stop()
    }

    package func stop() {
        stopped.happen()
    }
}
