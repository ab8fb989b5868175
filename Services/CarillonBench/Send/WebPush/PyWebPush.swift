import CommandKit
import Glibc
import PushModel
import ServiceKit
import Signing

/// pywebpush, the usual library for Python: one thread with one kept session, the baseline for browsers.
struct PyWebPush: Sendable {
    private static let library = "pywebpush"
    private let path: String

    /// The given interpreter, the one of `make deps`, or the system's.
    init(python: String?) {
        let ofRepository = ".venv/bin/python"
        path = python ?? (access(ofRepository, X_OK) == 0 ? ofRepository : "python3")
    }

    func requireInstalled() async throws {
        let check = try? ChildProcess(path, arguments: ["-c", "import \(PyWebPush.library)"])
        guard await check?.end() == .exited(0) else {
            throw BenchError("\(path) has no \(PyWebPush.library): run `make deps`, or name an interpreter by --python")
        }
    }

    func run(
        _ browsers: LocalBrowsers, address: String, authorityFile: String, requests: Int
    ) async throws -> SendReading {
        let folder = try LocalFolder("pywebpush")
        let key = try folder.write("key.pem", content: Array(browsers.vapid.privateKeyText().reveal().utf8))
        let order = JSONText.object { json in
            json.member("endpoint", address)
            json.member("p256dh", Base64URL.encode(browsers.keys.publicKey))
            json.member("auth", Base64URL.encode(browsers.keys.secret))
            json.member("key", key)
            json.member("authority", authorityFile)
            json.member("payload", LocalBrowsers.payload)
            json.member("requests", requests)
        }
        let process = try ChildProcess(path, arguments: ["-c", PyWebPush.program, order])
        guard let line = await process.line(within: .seconds(300), where: { $0.hasPrefix("{\"seconds\"") }),
            let result = LoadResult(line: line)
        else { throw BenchError("\(PyWebPush.library): \(process.lines.last ?? "no output")") }
        return SendReading(requests: requests, seconds: result.seconds, cpuSeconds: result.cpuSeconds)
    }

    private static let program = """
        import json, resource, sys, time
        import requests
        from py_vapid import Vapid02
        from pywebpush import webpush

        order = json.loads(sys.argv[1])
        session = requests.Session()
        session.verify = order["authority"]
        # Otherwise a variable may name other authorities.
        session.trust_env = False
        subscription = {
            "endpoint": order["endpoint"], "keys": {"p256dh": order["p256dh"], "auth": order["auth"]}}
        key = Vapid02.from_file(order["key"])
        claims = {"sub": "mailto:bench@example.com"}

        def send(count):
            for _ in range(count):
                webpush(
                    subscription, order["payload"], vapid_private_key=key, vapid_claims=claims, ttl=3600,
                    requests_session=session)

        send(20)
        before, started = resource.getrusage(resource.RUSAGE_SELF), time.monotonic()
        send(order["requests"])
        seconds, after = time.monotonic() - started, resource.getrusage(resource.RUSAGE_SELF)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        result = {"seconds": seconds, "cpu_seconds": cpu, "memory_bytes": after.ru_maxrss * 1024}
        print(json.dumps(result, separators=(",", ":")), flush=True)
        """
}
