import Bus
import HTTPServer
import ServiceKit
import Synchronization

/// `GET /status`, as load balancers ask pushd: 204 if the service is ready, else 503. It needs no key, so its checks run
/// once a second at most, whatever the number of requests.
final class ServiceStatus: Sendable {
    private struct Check {
        let began: Duration
        let isReady: Task<Bool, Never>
    }

    static let interval = Duration.seconds(1)

    private let health: Health
    private let time: any TimeSource
    private let last = Mutex<Check?>(nil)

    init(_ environment: WorkerEnvironment) {
        health = environment.health
        time = environment.time
    }

    func answer() async -> HTTPResponse {
        HTTPResponse(await check().isReady.value ? .noContent : .serviceUnavailable)
    }

    private func check() -> Check {
        let now = time.uptime
        return last.withLock { last in
            if let last, now - last.began < ServiceStatus.interval { return last }
            let check = Check(began: now, isReady: Task { [health] in await health.obstacles().isEmpty })
            last = check
            return check
        }
    }
}
