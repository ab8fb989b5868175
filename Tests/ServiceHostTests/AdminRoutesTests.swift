import HTTPServer
import ServiceKit
import TestSupport
import Testing

@testable import ServiceHost

@Suite(.timeLimit(.minutes(3))) struct AdminRoutesTests {
    @Test func remarksAreShownByAServiceThatIsReadyAllTheSame() async throws {
        let health = Health(time: SystemTimeSource())
        health.addRemark("apps") { "news.json is wrong" }
        var configuration = HTTPServerConfiguration()
        let port = FreePort.next()
        configuration.port = port
        let started = OneTimeEvent()
        let server = HTTPService(
            "admin server",
            server: HTTPServer(
                configuration: configuration, router: AdminRoutes(health: health, metrics: Metrics()).router,
                log: Log(service: "test", sink: StartSink(started: started)), metrics: Metrics()))
        let response = try await withRunning(server) {
            await started.wait()
            return await blocking {
                let client = RawClient(port: port)
                client.send("GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                return client.receiveResponse()
            }
        }
        #expect(response?.status == 200)
        #expect(response?.text == "{\"status\":\"ok\",\"remarks\":[\"apps: news.json is wrong\"]}\n")
    }
}

private struct StartSink: LogSink {
    let started: OneTimeEvent

    func write(line: String) {
        if line.contains("\"message\":\"listening\"") { started.happen() }
    }
}
