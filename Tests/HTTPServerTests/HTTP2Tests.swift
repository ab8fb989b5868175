import ServiceKit
import TestSupport
import Testing

@testable import HTTPServer

/// The TLS port: HTTP/2 for clients that negotiate it, HTTP/1.1 for others, with the same routes.
@Suite struct HTTP2Tests {
    private func withSecured(
        _ configuration: HTTPServerConfiguration = HTTPServerConfiguration(), router: HTTPRouter = greetingRouter(),
        metrics: Metrics = Metrics(), body: (HTTPServer, UInt16, TestAuthority) async throws -> Void
    ) async throws {
        let authority = try await TestAuthority()
        var configuration = configuration
        configuration.tls = TLSFiles(certificate: authority.certificateFile, privateKey: authority.keyFile)
        try await withRunning(configuration, router: router, metrics: metrics) { server, port in
            try await body(server, port, authority)
        }
    }

    /// The output of curl, then the protocol and the status.
    private func curl(
        _ arguments: [String], path: String, port: UInt16, authority: TestAuthority
    ) async -> [String] {
        let process = try? ChildProcess(
            "curl",
            arguments: [
                "--silent", "--show-error", "--max-time", "30", "--cacert", authority.authorityFile, "--write-out",
                "\n%{http_version} %{http_code}\n",
            ] + arguments + ["https://localhost:\(port)\(path)"])
        guard let process else { return ["curl did not start"] }
        let status = await process.line { $0.hasPrefix("1.1 ") || $0.hasPrefix("2 ") || $0.hasPrefix("0 ") }
        _ = await process.end()
        return process.lines.filter { $0 != status && !$0.isEmpty } + [status ?? "curl failed"]
    }

    @Test(arguments: [("--http2", "2"), ("--http1.1", "1.1")])
    func bothProtocolsAnswerTheSame(option: String, version: String) async throws {
        try await withSecured { _, port, authority in
            #expect(await curl([option], path: "/", port: port, authority: authority) == ["hello", "\(version) 200"])
            #expect(
                await curl([option, "--head"], path: "/", port: port, authority: authority).last == "\(version) 200")
            #expect(
                await curl([option, "--data", "ring"], path: "/echo", port: port, authority: authority) == [
                    "ring", "\(version) 200",
                ])
            #expect(await curl([option], path: "/nothing", port: port, authority: authority).last == "\(version) 404")
            #expect(
                await curl([option, "--request", "DELETE"], path: "/", port: port, authority: authority).last
                    == "\(version) 405")
        }
    }

    @Test(arguments: ["--http2", "--http1.1"]) func aLargeBodyArrivesWhole(option: String) async throws {
        let directory = TemporaryDirectory("body")
        directory.write("large", content: String(repeating: "0123456789abcdef", count: 1 << 19))
        try await withSecured(HTTPServerConfiguration(bodiesBytesMaximum: 64 << 20)) { _, port, authority in
            let arguments = [option, "--data-binary", "@\(directory.file("large"))"]
            #expect(await curl(arguments, path: "/large", port: port, authority: authority).first == "\(8 << 20)")
            let refused = await curl(arguments, path: "/echo", port: port, authority: authority)
            #expect(refused.last?.hasSuffix(" 413") == true, "\(refused)")
        }
    }

    @Test func h2loadOverSeveralConnections() async throws {
        try await withSecured { _, port, _ in
            let process = try ChildProcess(
                "h2load", arguments: ["-n", "20000", "-c", "4", "-m", "50", "https://localhost:\(port)/"])
            #expect(await process.end() == .exited(0))
            #expect(await process.line { $0.hasPrefix("status codes: 20000 2xx") } != nil, "\(process.lines)")
        }
    }

    @Test func aBodyIsWrittenWhileItIsSent() async throws {
        var router = HTTPRouter()
        router.on(.get, pattern: "/") { _ in
            HTTPResponse(
                .ok,
                body: .stream(
                    HTTPStream(bytesMaximum: 4 << 10) { stream in
                        for line in 0..<10_000 { try? await stream.write(Array("line \(line)\n".utf8)) }
                    }))
        }
        try await withSecured(HTTPServerConfiguration(), router: router) { _, port, authority in
            let lines = await curl(["--http2"], path: "/", port: port, authority: authority)
            #expect(lines.count == 10_001)
            #expect(lines.dropLast().last == "line 9999")
            #expect(lines.last == "2 200")
        }
    }

    @Test func anHTTPRequestWithoutTLSEndsTheConnection() async throws {
        try await withSecured { _, port, _ in
            let isClosed = await blocking {
                let client = RawClient(port: port)
                client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                _ = client.receiveAll()
                return client.isClosed()
            }
            #expect(isClosed)
        }
    }

    /// A client may reset each request right after sending it; the handlers it started still count.
    @Test func resetRequestsMakeNoRoomForFurtherOnes() async throws {
        let gate = Gate()
        let begun = Monitor(0)
        var router = greetingRouter()
        router.on(.get, pattern: "/slow") { _ in
            begun.change { $0 += 1 }
            await gate.pass()
            return .text("done")
        }
        let slow: [UInt8] = [0x82, 0x87, 0x04, 0x05] + Array("/slow".utf8) + [0x41, 0x01, 0x61]
        try await withSecured(HTTPServerConfiguration(), router: router) { _, port, authority in
            let refused = await blocking {
                guard let client = try? FrameClient(port: port, authorityFile: authority.authorityFile) else {
                    return UInt32(0)
                }
                for number in 0..<300 as Range<UInt32> {
                    client.send(.headers, flags: 0x5, stream: 2 * number + 1, payload: slow)
                    client.send(.reset, stream: 2 * number + 1, payload: [0, 0, 0, 8])
                }
                client.send(.headers, flags: 0x5, stream: 601, payload: slow)
                return client.receive { $0.type == .reset && $0.stream == 601 }?.payload.last.map(UInt32.init) ?? 0
            }
            // REFUSED_STREAM
            #expect(refused == 7)
            #expect(begun.withLock { $0 } <= 100)
            gate.open()
        }
    }

    @Test func aClientThatMakesNoRoomForItsAnswerIsCutOff() async throws {
        var configuration = HTTPServerConfiguration()
        // Also the time in which a client on a busy machine must send its request.
        configuration.idleTimeout = .seconds(2)
        try await withSecured(configuration) { _, port, authority in
            let hasEnded = await blocking {
                guard
                    let client = try? FrameClient(
                        port: port, authorityFile: authority.authorityFile, streamWindow: 0)
                else { return false }
                client.send(.headers, flags: 0x5, stream: 1, payload: FrameClient.get)
                guard client.status(of: 1) == 200 else { return false }
                return client.receive { $0.type == .data } == nil
            }
            #expect(hasEnded)
        }
    }

    @Test func aBodyThatDoesNotComeIsAnswered() async throws {
        try await withSecured(HTTPServerConfiguration(bodyDeadline: .milliseconds(200))) { _, port, authority in
            let (status, reset) = await blocking { () -> (Int?, [UInt8]?) in
                guard let client = try? FrameClient(port: port, authorityFile: authority.authorityFile) else {
                    return (nil, nil)
                }
                client.send(.headers, flags: FrameClient.endHeaders, stream: 1, payload: FrameClient.postEcho)
                client.send(.data, stream: 1, payload: [1])
                let status = client.status(of: 1)
                return (status, client.receive { $0.type == .reset && $0.stream == 1 }?.payload)
            }
            #expect(status == 408)
            // NO_ERROR, some seconds later.
            #expect(reset == [0, 0, 0, 0])
        }
    }

    @Test func aHeaderThatDoesNotEndIsCutOff() async throws {
        let metrics = Metrics()
        // Long enough for a handshake on a busy machine.
        let configuration = HTTPServerConfiguration(headerDeadline: .seconds(2))
        try await withSecured(configuration, metrics: metrics) { _, port, authority in
            let hasEnded = await blocking {
                guard let client = try? FrameClient(port: port, authorityFile: authority.authorityFile) else {
                    return false
                }
                client.send(.headers, stream: 1, payload: FrameClient.get)
                return client.receive { $0.type == .headers } == nil
            }
            #expect(hasEnded)
            let refused = metrics.counter(.httpRequestsRefused, labels: ["server": "http", "reason": "header_late"])
            #expect(refused.value == 1)
        }
    }

    /// Each with the status of the same error in HTTP/1; nil if the library resets the stream.
    @Test(
        arguments: [
            // An invalid path, one without a slash, a host with a slash, a field of 20,000 bytes.
            ([0x82, 0x87, 0x04, 0x04] + Array("/%zz".utf8) + [0x41, 0x01, 0x61], 400),
            ([0x82, 0x87, 0x04, 0x01, 0x61, 0x41, 0x01, 0x61], nil),
            ([0x82, 0x87, 0x84, 0x41, 0x02, 0x61, 0x2F], nil),
            (
                [0x82, 0x87, 0x84, 0x41, 0x01, 0x61, 0x00, 0x01, 0x78, 0x7F, 0xA1, 0x9B, 0x01]
                    + [UInt8](repeating: 0x61, count: 20_000), 431
            ),
        ] as [([UInt8], Int?)])
    func whatCannotBeTakenIsRefused(fields: [UInt8], status: Int?) async throws {
        try await withSecured { _, port, authority in
            let (answered, reset) = await blocking { () -> (Int?, [UInt8]?) in
                guard let client = try? FrameClient(port: port, authorityFile: authority.authorityFile) else {
                    return (nil, nil)
                }
                let first = Array(fields.prefix(16_000))
                let rest = Array(fields.dropFirst(16_000))
                let flags = FrameClient.endStream | (rest.isEmpty ? FrameClient.endHeaders : 0)
                client.send(.headers, flags: flags, stream: 1, payload: first)
                if !rest.isEmpty {
                    client.send(.continuation, flags: FrameClient.endHeaders, stream: 1, payload: rest)
                }
                guard status == nil else { return (client.status(of: 1), nil) }
                return (nil, client.receive { $0.stream == 1 }?.payload)
            }
            #expect(answered == status)
            // PROTOCOL_ERROR
            if status == nil { #expect(reset == [0, 0, 0, 1]) }
        }
    }

    @Test func aStoppingServerAnswersWhatItHasAndSaysGoodbye() async throws {
        let gate = Gate()
        var router = HTTPRouter()
        router.on(.get, pattern: "/") { _ in
            await gate.pass()
            return .text("done")
        }
        try await withSecured(HTTPServerConfiguration(), router: router) { server, port, authority in
            async let ending = blocking { () -> [FrameClient.Kind] in
                guard let client = try? FrameClient(port: port, authorityFile: authority.authorityFile) else {
                    return []
                }
                client.send(.headers, flags: 0x5, stream: 1, payload: FrameClient.get)
                var kinds: [FrameClient.Kind] = []
                while let frame = client.receive({ $0.type == .goodbye || $0.stream == 1 }) {
                    if frame.type == .goodbye { gate.open() }
                    kinds.append(frame.type)
                }
                return kinds
            }
            #expect(await gate.arrivals(1))
            await server.stop(within: .seconds(30))
            #expect(await ending == [.goodbye, .headers, .data])
        }
    }

    @Test func aReplacedCertificateIsShownToNewClients() async throws {
        let time = ManualTimeSource()
        let first = try await TestAuthority()
        let second = try await TestAuthority()
        let directory = TemporaryDirectory("identity")
        let files = TLSFiles(certificate: directory.file("tls.crt"), privateKey: directory.file("tls.key"))
        install(first, directory: directory)
        let identity = try ServerIdentity(files, of: "http", log: .silent)
        let before = identity.context
        identity.reloadIfChanged(now: time.uptime)
        #expect(identity.context === before)
        install(second, directory: directory)
        identity.reloadIfChanged(now: time.uptime + .seconds(1))
        #expect(identity.context === before, "files are checked every five seconds")
        identity.reloadIfChanged(now: time.uptime + .seconds(10))
        let after = identity.context
        #expect(after !== before)
        directory.write("tls.crt", content: "no certificate")
        identity.reloadIfChanged(now: time.uptime + .seconds(20))
        #expect(identity.context === after)
    }

    private func install(_ authority: TestAuthority, directory: TemporaryDirectory) {
        for (file, name) in [(authority.certificateFile, "tls.crt"), (authority.keyFile, "tls.key")] {
            let bytes = SmallFile.read(file, bytesMaximum: 64 << 10) ?? []
            directory.write(name, content: String(decoding: bytes, as: UTF8.self))
        }
    }
}
