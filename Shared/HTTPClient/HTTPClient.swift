package import ServiceKit

/// HTTP/1.1 and HTTP/2 for what is one request for many devices, or rare: OAuth tokens, Huawei, WNS, Web Push, webhooks.
///
/// Follows no redirects, obeys no proxy variables, keeps no cookies. All transfers run on one thread of its own; tasks
/// that wait for them are suspended. Closed with `close`, or at once with its last reference.
package final class HTTPClient: Sendable {
    private let core: HTTPClientCore
    private let log: Log
    private let time: any TimeSource
    private let hasEnded = OneTimeEvent()

    package init(
        configuration: HTTPClientConfiguration, log: Log, metrics: Metrics, time: any TimeSource = SystemTimeSource()
    ) {
        core = HTTPClientCore(configuration, metrics: metrics, time: time)
        self.log = log
        self.time = time
        NativeThread(name: "http-client") { [core, hasEnded] in
            TransferLoop(core).run()
            hasEnded.happen()
        }.detach()
    }

    deinit {
        core.close(within: .zero)
    }

    /// Returns when an answer is complete, or when it is certain that none will be used: at the request's deadline at
    /// the latest, and soon after the task is cancelled.
    package func send(_ request: HTTPClientRequest) async -> HTTPClientOutcome {
        let outcome = await core.send(request)
        switch outcome {
        case .answered: break
        case .notSent(let failure): report(failure, message: "request not sent", request: request)
        case .unknown(let failure): report(failure, message: "request without an answer", request: request)
        }
        return outcome
    }

    /// Takes no more requests and waits for those under way; what is not done within the limit is given up.
    package func close(within limit: Duration) async {
        core.close(within: limit)
        if await !hasEnded.wait(atMost: limit + HTTPClient.grace, time: time) {
            log.error("the HTTP client hangs and is left behind", [.address: core.configuration.name])
        }
    }

    /// For the loop to notice that the limit has passed and to give up what is left.
    private static let grace = Duration.seconds(5)

    private func report(_ failure: HTTPClientError, message: String, request: HTTPClientRequest) {
        log.debug(message, [.address: request.description, .reason: failure.code.rawValue, .error: failure.message])
    }
}
