import Apps
import HTTPServer
import PushModel
import ServiceKit

/// Serves the example page while `carillon up --demo` runs.
struct ExampleServer: Sendable {
    private static let connectionsMaximum = 64

    let address: String
    private let port: UInt16
    private let origin: WebOrigin
    private let key: ExampleKey

    init(_ app: AppID, port: UInt16, in folder: DataFolder, time: any TimeSource) {
        address = "http://127.0.0.1:\(port)"
        self.port = port
        guard let origin = WebOrigin(address) else { preconditionFailure("\(address) is no origin") }
        self.origin = origin
        key = ExampleKey(app: app, folder: folder, time: time)
    }

    /// The app must exist.
    func service(api: String, log: Log) async throws -> any Service {
        let key = try await onNativeThread("apps") { [key, origin] in
            Result { try key.value(boundTo: origin) }
        }.get()
        var configuration = HTTPServerConfiguration(port: port, connectionsMaximum: ExampleServer.connectionsMaximum)
        // No request has one.
        configuration.bodyBytesMaximum = 0
        return HTTPService(
            "example page",
            server: HTTPServer(
                name: "example", configuration: configuration, router: ExamplePage(api: api, key: key).router,
                log: log, metrics: Metrics()))
    }
}
