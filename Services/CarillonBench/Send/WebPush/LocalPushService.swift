import CommandKit
import HTTP2
import HTTPServer
import ServiceKit
import Signing
import TLSSocket

/// A push service inside the benchmark, with TLS: accepts every push. One server speaks HTTP/2 only, at little cost; the
/// other HTTP/1.1 too, for clients that know nothing else, under any host below `push.localhost`.
final class LocalPushService: Sendable {
    let authorityFile: String
    let http2Port: UInt16
    let http1Port: UInt16
    private let http2Server: HTTP2Server
    private let http1Server: HTTPServer
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
        http2Server = try HTTP2Server(HTTP2ServerConfiguration(tls: tls), log: .bench) { [headers] _ in
            .answer(HTTP2Answer(201, headers: headers))
        }
        http2Port = http2Server.port
        var configuration = HTTPServerConfiguration()
        configuration.tls = TLSFiles(certificate: certificate, privateKey: privateKey)
        var router = HTTPRouter()
        router.on(.post, pattern: "/push/:device") { _ in
            HTTPResponse(.created, headers: [HTTPField("Location", "/message/1")])
        }
        http1Server = HTTPServer(
            name: "push", configuration: configuration, router: router, log: .bench, metrics: Metrics())
        try http1Server.start()
        guard let http1Port = http1Server.port else { throw BenchError("the push service has no port") }
        self.http1Port = http1Port
    }

    func http2Address(_ device: Int) -> String {
        "https://localhost:\(http2Port)/push/\(device)"
    }

    func http1Address(_ device: Int, host: String = "localhost") -> String {
        "https://\(host):\(http1Port)/push/\(device)"
    }

    func stop() async {
        await http2Server.close()
        await http1Server.stop()
    }
}
