import Glibc
import ServiceKit
import Synchronization

/// A thousand malicious clients on their own threads.
final class HostileCrowd: Sendable {
    struct Tally: Sendable {
        var connections = 0
        var requests = 0
        fileprivate var threads = 0
    }

    private static let slowClients = 900
    private static let fastThreads = 4
    private static let fastClientsInThread = 25
    private static let pauseMicroseconds: UInt32 = 500_000

    private let port: UInt16
    private let key: String
    private let requests: HostileRequests
    private let isStopped = Atomic<Bool>(false)
    private let tally = Monitor(Tally())

    init(url: String, key: String) throws {
        guard let port = url.split(separator: ":").last.flatMap({ UInt16($0) }) else {
            throw BenchError("the API URL has no port: \(url)")
        }
        self.port = port
        self.key = key
        requests = HostileRequests(key: key)
    }

    func start() {
        tally.withLock { $0.threads = 1 + HostileCrowd.fastThreads }
        NativeThread(name: "hostile-slow") { [self] in
            keepConnectionsBusy()
            tally.change { $0.threads -= 1 }
        }.detach()
        for number in 0..<HostileCrowd.fastThreads {
            NativeThread(name: "hostile-fast") { [self] in
                sendCostlyRequests(number)
                tally.change { $0.threads -= 1 }
            }.detach()
        }
    }

    /// Returns when all threads have stopped.
    func stop() async -> Tally {
        isStopped.store(true, ordering: .relaxed)
        return await onNativeThread("hostile-stop") { [tally] in
            _ = tally.wait(timeout: .seconds(60)) { $0.threads == 0 ? true : nil }
            return tally.withLock { $0 }
        }
    }

    /// A third send nothing, a third send a header byte by byte, a third a body with a valid key.
    private func keepConnectionsBusy() {
        let starts = ["", "GET / HTTP/1.1\r\nHost: bench\r\nX-Slow: ", slowBody]
        var clients: [HostileClient?] = Array(repeating: nil, count: HostileCrowd.slowClients)
        while !isStopped.load(ordering: .relaxed) {
            for place in clients.indices {
                if let client = clients[place], place % starts.count == 0 || client.send(Array("x".utf8)) { continue }
                clients[place] = HostileClient(port: port)
                let start = starts[place % starts.count].replacing(
                    "ADDRESS", with: "10.1.\(place / 250).\(place % 250)")
                _ = clients[place]?.send(Array(start.utf8))
                tally.withLock { $0.connections += 1 }
            }
            // Sets the clients' slowness; nothing waits for this thread.
            usleep(HostileCrowd.pauseMicroseconds)
        }
    }

    private var slowBody: String {
        "POST /v1/tasks HTTP/1.1\r\nHost: bench\r\nX-Forwarded-For: ADDRESS\r\nAuthorization: Bearer \(key)\r\n"
            + "Content-Type: application/json\r\nContent-Length: 1000000\r\n\r\n"
    }

    private func sendCostlyRequests(_ thread: Int) {
        var number = thread
        while !isStopped.load(ordering: .relaxed) {
            let clients = (0..<HostileCrowd.fastClientsInThread).compactMap { _ in HostileClient(port: port) }
            for (place, client) in clients.enumerated() {
                let address = "10.2.\(thread).\(place)"
                _ = client.send(requests.all[(number + place) % requests.all.count](address))
            }
            for client in clients { client.awaitAnswer() }
            number += 1
            tally.withLock { tally in
                tally.connections += clients.count
                tally.requests += clients.count
            }
        }
    }
}
