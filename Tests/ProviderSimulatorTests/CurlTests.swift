import ServiceKit
import TestSupport
import Testing

/// The simulator as seen by a libcurl client.
@Suite(.timeLimit(.minutes(5))) struct CurlTests {
    private static let requests = 1_500

    /// More requests than the stream resets that a libnghttp2 server accepts from one connection.
    @Test func aConnectionToHuaweiServesThousands() async throws {
        let simulator = try await SimulatorProcess()
        let path = "/v1/\(simulator.text("huawei", "client_id"))/messages:send"
        let url = "https://localhost:\(simulator.port("huawei"))\(path)"
        let folder = TemporaryDirectory("curl")
        let requests = String(repeating: "url = \"\(url)\"\noutput = /dev/null\n", count: CurlTests.requests)
        let curl = try ChildProcess(
            "curl",
            arguments: [
                "--silent", "--show-error", "--http2", "--cacert", simulator.text("ca_file"), "--data", "{}",
                "--write-out", "%{http_code} %{num_connects}\n", "--config",
                folder.write("requests", content: requests),
            ])
        #expect(await curl.end(within: .hangLimit) == .exited(0))
        #expect(curl.lines.count { $0.hasPrefix("401 ") } == CurlTests.requests)
        #expect(curl.lines.count { $0.hasSuffix(" 1") } == 1)
        _ = await simulator.stop()
    }
}
