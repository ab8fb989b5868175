import JSONKit
import ServiceKit
import TestSupport
import Testing

/// A third-party client that does not know the simulator: aioapns, as installed by `make deps`.
@Suite struct PublicClientTests {
    @Test(.enabled(if: SourceTree.hasExecutable(".venv/bin/python"))) func aioapnsDelivers() async throws {
        let simulator = try await SimulatorProcess()
        var environment = EnvironmentReader.processEnvironment()
        environment["SSL_CERT_FILE"] = simulator.text("ca_file")
        environment["KEY_FILE"] = simulator.text("apns", "key_file")
        environment["KEY_ID"] = simulator.text("apns", "key_id")
        environment["TEAM_ID"] = simulator.text("apns", "team_id")
        environment["TOPIC"] = simulator.text("apns", "topic")
        environment["PORT"] = "\(simulator.port("apns"))"
        let python = try ChildProcess(
            SourceTree.path(".venv/bin/python"), arguments: ["-c", PublicClientTests.program], environment: environment)
        #expect(await python.end(within: .hangLimit) == .exited(0), "\(python.lines)")
        #expect(await python.line { $0 == "200 None" } != nil)
        #expect(await python.line { $0 == "410 Unregistered" } != nil)
        #expect(await python.line { $0 == "400 BadDeviceToken" } != nil)
        #expect(try await simulator.statistics("apns")["accepted"] == .integer(1))
    }

    /// Only the address of the host name is changed, as a resolver would: the client believes that it talks to Apple.
    private static let program = """
        import asyncio, os, socket
        from aioapns import APNs, NotificationRequest

        async def main():
            async def resolve(host, port, **options):
                assert (host, port) == ("api.push.apple.com", 443)
                return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", int(os.environ["PORT"])))]

            asyncio.get_running_loop().getaddrinfo = resolve
            client = APNs(
                key=open(os.environ["KEY_FILE"]).read(), key_id=os.environ["KEY_ID"], team_id=os.environ["TEAM_ID"],
                topic=os.environ["TOPIC"])
            for token in ["ab" * 32, "dead0410" + "ab" * 28, "xyz"]:
                push = NotificationRequest(device_token=token, message={"aps": {"alert": "It rings."}})
                result = await client.send_notification(push)
                print(result.status, result.description)

        asyncio.run(main())
        """
}
