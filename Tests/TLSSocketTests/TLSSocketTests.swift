import Glibc
import ServiceKit
import TLSSocket
import TestSupport
import Testing

/// Tests against `openssl s_server`, which returns every line reversed.
@Suite struct TLSSocketTests {
    private func configuration(_ authority: TestAuthority) -> TLSConfiguration {
        var configuration = TLSConfiguration()
        configuration.authorityFile = authority.authorityFile
        return configuration
    }

    @Test func defaultsVerify() {
        #expect(TLSConfiguration().verifiesPeer)
        #expect(TLSConfiguration().authorityFile == nil)
    }

    @Test(arguments: ["127.0.0.1", "localhost"])
    func aTrustedPeerIsTalkedTo(_ host: String) async throws {
        let authority = try await TestAuthority()
        let server = try await EchoServer(authority)
        let tls = configuration(authority)
        let line = try await onThread { () throws(TLSSocketError) in
            try Conversation(host: host, port: server.port, tls: tls).exchange("abc\n")
        }
        #expect(line == "cba\n")
    }

    @Test func aStrangersCertificateIsRefused() async throws {
        let server = try await EchoServer(try await TestAuthority())
        let stranger = try await TestAuthority()
        let tls = configuration(stranger)
        let error = await failure { () throws(TLSSocketError) in
            _ = try Conversation(host: "localhost", port: server.port, tls: tls)
        }
        #expect(error?.code == .untrusted && error?.isRetriable == false)
        // Its folder must exist until the file is read.
        withExtendedLifetime(stranger) {}
    }

    @Test func aCertificateForAnotherHostIsRefused() async throws {
        let authority = try await TestAuthority()
        let server = try await EchoServer(authority)
        let tls = configuration(authority)
        let error = await failure { () throws(TLSSocketError) in
            _ = try Conversation(host: "localhost", port: server.port, tls: tls, serverName: "example.com")
        }
        #expect(error?.code == .untrusted)
        #expect(error?.message.contains("hostname mismatch") == true)
    }

    @Test func verificationIsOffOnlyWhenAskedFor() async throws {
        let server = try await EchoServer(try await TestAuthority())
        var tls = TLSConfiguration()
        tls.verifiesPeer = false
        let asked = tls
        let line = try await onThread { () throws(TLSSocketError) in
            try Conversation(host: "localhost", port: server.port, tls: asked).exchange("abc\n")
        }
        #expect(line == "cba\n")
    }

    @Test func tls11IsRefused() async throws {
        let authority = try await TestAuthority()
        let server = try await EchoServer(authority, options: "-tls1_1", "-cipher", "ALL:@SECLEVEL=0")
        let tls = configuration(authority)
        let error = await failure { () throws(TLSSocketError) in
            _ = try Conversation(host: "localhost", port: server.port, tls: tls)
        }
        #expect(error?.code == .handshake)
    }

    @Test func theProtocolIsAgreedOn() async throws {
        let authority = try await TestAuthority()
        let server = try await EchoServer(authority, options: "-alpn", "h2")
        var tls = configuration(authority)
        tls.applicationProtocols = ["http/1.1", "h2"]
        let offering = tls
        let agreed = try await onThread { () throws(TLSSocketError) in
            try Conversation(host: "localhost", port: server.port, tls: offering).socket.applicationProtocol
        }
        #expect(agreed == "h2")
    }

    /// The server requires a certificate; in TLS 1.3 the client learns only when reading that it is missing.
    @Test func aClientCertificateIsShown() async throws {
        let authority = try await TestAuthority()
        let server = try await EchoServer(
            authority, options: "-Verify", "1", "-verify_return_error", "-CAfile", authority.authorityFile)
        var tls = configuration(authority)
        let anonymous = tls
        let error = await failure { () throws(TLSSocketError) in
            _ = try Conversation(host: "localhost", port: server.port, tls: anonymous).exchange("abc\n")
        }
        #expect(error != nil)
        tls.certificateFile = authority.certificateFile
        tls.privateKeyFile = authority.keyFile
        let identified = tls
        let line = try await onThread { () throws(TLSSocketError) in
            try Conversation(host: "localhost", port: server.port, tls: identified).exchange("abc\n")
        }
        #expect(line == "cba\n")
    }

    /// Both ends are our sockets, each on its own thread.
    @Test func aListenerTakesAClientThatShowsItsCertificate() async throws {
        let authority = try await TestAuthority()
        var serving = TLSServerConfiguration(
            certificateFile: authority.certificateFile, privateKeyFile: authority.keyFile)
        serving.clientAuthorityFile = authority.authorityFile
        serving.applicationProtocols = ["h2", "spdy/3"]
        let context = try TLSContext(serving)
        let listener = try TCPListener(address: "127.0.0.1", port: 0)
        async let accepted = onThread { () throws(TLSSocketError) in
            try Accepted(from: listener, tls: context).report(answering: "cba\n")
        }
        var tls = configuration(authority)
        tls.certificateFile = authority.certificateFile
        tls.privateKeyFile = authority.keyFile
        tls.applicationProtocols = ["spdy/3", "h2"]
        let offering = tls
        let line = try await onThread { () throws(TLSSocketError) in
            try Conversation(host: "localhost", port: listener.port, tls: offering).exchange("abc\n")
        }
        #expect(line == "cba\n")
        let report = try await accepted
        #expect(report.line == "abc\n" && report.name == "localhost" && report.applicationProtocol == "h2")
    }

    @Test func aListenerRefusesAClientThatOffersOtherProtocols() async throws {
        let authority = try await TestAuthority()
        var serving = TLSServerConfiguration(
            certificateFile: authority.certificateFile, privateKeyFile: authority.keyFile)
        serving.applicationProtocols = ["h2"]
        let context = try TLSContext(serving)
        let listener = try TCPListener(address: "127.0.0.1", port: 0)
        async let serverError = failure { () throws(TLSSocketError) in _ = try Accepted(from: listener, tls: context) }
        var tls = configuration(authority)
        tls.applicationProtocols = ["http/1.1"]
        let offering = tls
        let error = await failure { () throws(TLSSocketError) in
            _ = try Conversation(host: "localhost", port: listener.port, tls: offering)
        }
        #expect(error?.code == .handshake)
        #expect(await serverError?.code == .handshake)
    }

    @Test func aTakenPortIsNamed() throws {
        let listener = try TCPListener(address: "127.0.0.1", port: 0)
        let error = #expect(throws: TLSSocketError.self) {
            try TCPListener(address: "127.0.0.1", port: listener.port)
        }
        #expect(error?.message.contains("port \(listener.port)") == true)
    }

    @Test func aMissingFileIsNamed() throws {
        for path in [\TLSConfiguration.authorityFile, \.certificateFile] {
            var tls = TLSConfiguration()
            tls[keyPath: path] = "/nowhere.pem"
            let error = #expect(throws: TLSSocketError.self) { try TLSContext(tls) }
            #expect(error?.code == .misconfigured && error?.message.contains("/nowhere.pem") == true)
        }
    }

    @Test func anEmptyPortIsUnreachable() async {
        let port = FreePort.next()
        let error = await failure { () throws(TLSSocketError) in
            _ = try Conversation(host: "localhost", port: port, tls: nil)
        }
        #expect(error?.code == .unreachable && error?.isRetriable == true)
    }

    @Test func anUnknownHostIsUnresolved() async {
        let error = await failure { () throws(TLSSocketError) in
            _ = try Conversation(host: "no.such.host.invalid", port: 1, tls: nil)
        }
        #expect(error?.code == .unresolved)
    }
}

/// A socket driven by poll, with a limit on each wait.
private struct Conversation {
    let socket: TLSSocket

    init(
        host: String, port: UInt16, tls: TLSConfiguration?, serverName: String? = nil
    ) throws(TLSSocketError) {
        let context = try tls.map { tls throws(TLSSocketError) in try TLSContext(tls) }
        socket = try TLSSocket(host: host, port: port, tls: context, serverName: serverName)
        while case let progress = try socket.advance(), progress != .done {
            wait(for: progress == .wantRead ? POLLIN : POLLOUT)
        }
    }

    func exchange(_ line: String) throws(TLSSocketError) -> String {
        let bytes = Array(line.utf8)
        var answer: [UInt8] = []
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1024, alignment: 1)
        defer { buffer.deallocate() }
        let sent = bytes.withUnsafeBytes { bytes in Result { () throws(TLSSocketError) in try socket.write(bytes) } }
        #expect(try sent.get() == .bytes(bytes.count))
        while answer.last != UInt8(ascii: "\n") {
            switch try socket.read(into: buffer) {
            case .bytes(let count): answer += buffer[..<count]
            case .wantRead: wait(for: POLLIN)
            case .wantWrite: wait(for: POLLOUT)
            case .end: return String(decoding: answer, as: UTF8.self)
            }
        }
        return String(decoding: answer, as: UTF8.self)
    }

    private func wait(for events: Int32) {
        var polled = pollfd(fd: socket.descriptor, events: Int16(events), revents: 0)
        #expect(poll(&polled, 1, 30_000) > 0)
    }
}

/// The server side of a `Conversation`.
private struct Accepted {
    struct Report {
        let line: String
        let name: String?
        let applicationProtocol: String?
    }

    private let socket: TLSSocket

    init(from listener: TCPListener, tls: TLSContext) throws(TLSSocketError) {
        Accepted.wait(for: POLLIN, listener.descriptor)
        guard let socket = try listener.accept(tls: tls) else {
            throw TLSSocketError(.unreachable, message: "no connection arrived")
        }
        self.socket = socket
        while case let progress = try socket.advance(), progress != .done {
            Accepted.wait(for: progress == .wantRead ? POLLIN : POLLOUT, socket.descriptor)
        }
    }

    func report(answering answer: String) throws(TLSSocketError) -> Report {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1024, alignment: 1)
        defer { buffer.deallocate() }
        var line = ""
        while !line.hasSuffix("\n") {
            switch try socket.read(into: buffer) {
            case .bytes(let count): line += String(decoding: buffer[..<count], as: UTF8.self)
            default: Accepted.wait(for: POLLIN, socket.descriptor)
            }
        }
        let sent = Array(answer.utf8).withUnsafeBytes { bytes in
            Result { () throws(TLSSocketError) in try socket.write(bytes) }
        }
        _ = try sent.get()
        return Report(line: line, name: socket.peerName, applicationProtocol: socket.applicationProtocol)
    }

    private static func wait(for events: Int32, _ descriptor: Int32) {
        var polled = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        #expect(poll(&polled, 1, 30_000) > 0)
    }
}

private struct EchoServer {
    let port = FreePort.next()
    private let process: ChildProcess

    init(_ authority: TestAuthority, options: String...) async throws {
        let arguments = ["s_server", "-rev", "-accept", "127.0.0.1:\(port)", "-cert", authority.certificateFile]
        process = try ChildProcess("openssl", arguments: arguments + ["-key", authority.keyFile] + options)
        let line = await process.line { $0.hasPrefix("ACCEPT") }
        try #require(line != nil, "\(process.lines)")
    }
}

private func onThread<Value: Sendable>(
    _ body: @escaping @Sendable () throws(TLSSocketError) -> Value
) async throws -> Value {
    try await blocking { Result { () throws(TLSSocketError) in try body() } }.get()
}

private func failure(_ body: @escaping @Sendable () throws(TLSSocketError) -> Void) async -> TLSSocketError? {
    let result = await blocking { Result { () throws(TLSSocketError) in try body() } }
    guard case .failure(let error) = result else { return nil }
    return error
}
