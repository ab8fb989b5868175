package import ServiceKit

/// HTTP/1.1 and HTTP/2 for batched or infrequent requests: OAuth tokens, Huawei, WNS, Web Push, webhooks.
///
/// Ignores redirects and proxy variables, and keeps no cookies. All transfers run on one dedicated thread; waiting
/// tasks are suspended. Closed by `close`, or immediately when the last reference is released.
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

    /// Returns when a response is complete, or when none will be used: at the request's deadline at the latest, and
    /// soon after the task is cancelled.
    package func send(_ request: HTTPClientRequest) async -> HTTPClientOutcome {
        let outcome = await core.send(request)
        switch outcome {
        case .answered: break
        case .notSent(let failure): report(failure, message: "request not sent", request: request)
        case .unknown(let failure): report(failure, message: "request without a response", request: request)
        }
        return outcome
    }

    /// Refuses new requests and waits for those in flight; aborts the rest at the limit.
    package func close(within limit: Duration) async {
        core.close(within: limit)
        if await !hasEnded.wait(atMost: limit + HTTPClient.grace, time: time) {
            log.error("HTTP client did not stop in time; its thread is abandoned", [.address: core.configuration.name])
        }
    }

    /// Time for the loop to notice the limit and abort the rest.
    private static let grace = Duration.seconds(5)

    private func report(_ failure: HTTPClientError, message: String, request: HTTPClientRequest) {
        log.debug(message, [.address: request.description, .reason: failure.code.rawValue, .error: failure.message])
    }
}
