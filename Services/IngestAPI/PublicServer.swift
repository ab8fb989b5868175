import HTTPServer
import ServiceKit

/// The port that publishers and devices talk to.
struct PublicServer: Service {
    let name = "public server"
    private let server: HTTPServer
    private let stopped = OneTimeEvent()

    init(_ configuration: HTTPServerConfiguration, router: HTTPRouter, log: Log, metrics: Metrics, time: any TimeSource)
    {
        server = HTTPServer(
            name: "ingest", configuration: configuration, router: router, log: log, metrics: metrics, time: time)
    }

    func run() async throws {
        try server.start()
        await stopped.wait()
        await server.stop()
    }

    func stop() {
        stopped.happen()
    }
}
