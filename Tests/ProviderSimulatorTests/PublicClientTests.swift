import JSONKit
import ServiceKit
import TestSupport
import Testing

/// Third-party clients that do not know the simulator, as installed by `make deps`: aioapns, and for Web Push http-ece
/// with py-vapid.
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

    @Test(.enabled(if: SourceTree.hasExecutable(".venv/bin/vapid"))) func httpECEAndPyVAPIDDeliver() async throws {
        let simulator = try await SimulatorProcess()
        let subscription = try await simulator.admin("GET", "/subscriptions/d1")
        let body = TemporaryDirectory("web-push")
        let python = try ChildProcess(
            SourceTree.path(".venv/bin/python"),
            arguments: ["-c", PublicClientTests.webPushProgram, subscription.text, body.path + "/body"])
        #expect(await python.end(within: .hangLimit) == .exited(0), "\(python.lines)")
        let authorization = try #require(await python.line { $0.hasPrefix("vapid ") })
        let curl = try ChildProcess(
            "curl",
            arguments: [
                "--silent", "--http2", "--cacert", simulator.text("ca_file"), "--header",
                "authorization: " + authorization, "--header", "ttl: 60", "--header", "content-encoding: aes128gcm",
                "--data-binary", "@\(body.path)/body", "--write-out", "%{http_code}\n",
                simulator.text("webpush", "endpoint") + "d1",
            ])
        #expect(await curl.end(within: .hangLimit) == .exited(0))
        #expect(curl.lines == ["201"])
        let pushes = try JSON(try await simulator.admin("GET", "/pushes/webpush").body)
        #expect(pushes.elements?.first?["body"]?["task_id"]?.text == "t1")
    }

    private static let webPushProgram = """
        import json, os, sys
        from base64 import urlsafe_b64decode
        from urllib.parse import urlsplit
        import http_ece
        from cryptography.hazmat.primitives.asymmetric import ec
        from py_vapid import Vapid02

        subscription = json.loads(sys.argv[1])
        keys = {name: urlsafe_b64decode(text + "==") for name, text in subscription["keys"].items()}
        body = http_ece.encrypt(
            b'{"task_id": "t1"}', private_key=ec.generate_private_key(ec.SECP256R1()), dh=keys["p256dh"],
            auth_secret=keys["auth"], version="aes128gcm")
        open(sys.argv[2], "wb").write(body)
        vapid = Vapid02()
        vapid.generate_keys()
        parts = urlsplit(subscription["endpoint"])
        claims = {"aud": f"{parts.scheme}://{parts.netloc}", "sub": "mailto:push@example.com"}
        print(vapid.sign(claims)["Authorization"])
        """
}
