import CommandKit
import HTTP2
import HTTPServer
import ServiceKit
import Signing
import TLSSocket

/// A push service inside the benchmark, with TLS: accepts every push. One port speaks HTTP/2 only, at little cost; the
/// other HTTP/1.1 too, for clients that know nothing else, under any host below `push.localhost`.
final class LocalPushService: Sendable {
    let authorityFile: String
    let port: UInt16
    let portOfAll: UInt16
    private let server: HTTP2Server
    private let serverOfAll: HTTPServer
    private let folder: LocalFolder

    init() throws {
        folder = try LocalFolder("push")
        let authority = try CertificateAuthority(name: "Bench", validity: .seconds(86_400))
        authorityFile = try folder.write("ca.pem", content: Array(authority.certificateText.utf8))
        let issued = try authority.issue(
            "push.localhost", for: .server(names: ["DNS:localhost", "DNS:*.push.localhost"]))
        let certificate = try folder.write("push.pem", content: Array(issued.certificateText.utf8))
        let privateKey = try folder.write("push.key", content: Array(issued.privateKeyText.reveal().utf8))
        var headers = HTTP2Headers()
        headers.append("location", "/message/1")
        let tls = TLSServerConfiguration(certificateFile: certificate, privateKeyFile: privateKey)
        server = try HTTP2Server(HTTP2ServerConfiguration(tls: tls), log: .bench) { [headers] _ in
            .answer(HTTP2Answer(201, headers: headers))
        }
        port = server.port
        var configuration = HTTPServerConfiguration()
        configuration.tls = TLSFiles(certificate: certificate, privateKey: privateKey)
        var router = HTTPRouter()
        router.on(.post, pattern: "/push/:device") { _ in
            HTTPResponse(.created, headers: [HTTPField("Location", "/message/1")])
        }
        serverOfAll = HTTPServer(
            name: "push", configuration: configuration, router: router, log: .bench, metrics: Metrics())
        try serverOfAll.start()
        guard let portOfAll = serverOfAll.port else { throw BenchError("the push service has no port") }
        self.portOfAll = portOfAll
    }

    /// The address of a device, over HTTP/2.
    func address(_ device: Int) -> String {
        "https://localhost:\(port)/push/\(device)"
    }

    /// The address of a device at a host of this service, for any client.
    func addressForAll(_ device: Int, host: String = "localhost") -> String {
        "https://\(host):\(portOfAll)/push/\(device)"
    }

    func stop() async {
        await server.close()
        await serverOfAll.stop()
    }
}
