import ServiceKit
import TestSupport
import Testing

/// The simulator as seen by a libcurl client.
@Suite(.timeLimit(.minutes(5))) struct CurlTests {
    private static let requests = 1_500

    /// More requests than the stream resets that a libnghttp2 server accepts from one connection unless it is told to.
    /// The statuses are those of requests without credentials, but for those that need none.
    @Test(arguments: [
        ("huawei", "/v1/100000001/messages:send", 401), ("webpush", "/push/d1", 401), ("wns", "/?token=d1", 401),
        ("mpns", "/throttledthirdparty/01.00/d1", 200), ("http", "/devices/d1", 204), ("http", "/devices/gone-1", 410),
    ])
    func aConnectionServesThousands(provider: String, path: String, status: Int) async throws {
        let simulator = try await SimulatorProcess()
        let url = "https://localhost:\(simulator.port(provider))\(path)"
        let folder = TemporaryDirectory("curl")
        let requests = String(repeating: "url = \"\(url)\"\noutput = /dev/null\n", count: CurlTests.requests)
        let curl = try ChildProcess(
            "curl",
            arguments: [
                "--silent", "--show-error", "--http2", "--cacert", simulator.text("ca_file"), "--data", "{}",
                "--header", "content-type: application/json", "--header", "x-notificationclass: 3",
                "--write-out", "%{http_code} %{num_connects}\n", "--config",
                folder.write("requests", content: requests),
            ])
        #expect(await curl.end(within: .hangLimit) == .exited(0))
        #expect(curl.lines.count { $0.hasPrefix("\(status) ") } == CurlTests.requests)
        #expect(curl.lines.count { $0.hasSuffix(" 1") } == 1)
        _ = await simulator.stop()
    }
}
