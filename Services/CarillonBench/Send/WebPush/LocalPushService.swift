import CommandKit
import HTTPServer
import ServiceKit
import Signing

/// A push service inside the benchmark, with TLS: accepts every push, over HTTP/2 and for clients that know only
/// HTTP/1.1, under any host below `push.localhost`.
final class LocalPushService: Sendable {
    let authorityFile: String
    let port: UInt16
    private let server: HTTPServer
    private let folder: LocalFolder

    init() throws {
        folder = try LocalFolder("push")
        let authority = try CertificateAuthority(name: "Bench", validity: .seconds(86_400))
        authorityFile = try folder.write("ca.pem", content: Array(authority.certificateText.utf8))
        let issued = try authority.issue(
            "push.localhost", for: .server(names: ["DNS:localhost", "DNS:*.push.localhost"]))
        var configuration = HTTPServerConfiguration()
        configuration.tls = TLSFiles(
            certificate: try folder.write("push.pem", content: Array(issued.certificateText.utf8)),
            privateKey: try folder.write("push.key", content: Array(issued.privateKeyText.reveal().utf8)))
        var router = HTTPRouter()
        router.on(.post, pattern: "/push/:device") { _ in
            HTTPResponse(.created, headers: [HTTPField("Location", "/message/1")])
        }
        server = HTTPServer(name: "push", configuration: configuration, router: router, log: .bench, metrics: Metrics())
        try server.start()
        guard let port = server.port else { throw BenchError("the push service has no port") }
        self.port = port
    }

    /// The address of a device at a host of this service.
    func address(_ device: Int, host: String = "localhost") -> String {
        "https://\(host):\(port)/push/\(device)"
    }

    func stop() async {
        await server.stop()
    }
}
