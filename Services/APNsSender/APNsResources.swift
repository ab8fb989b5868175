import Bus
import HTTP2
import ServiceKit

/// What all accounts of a process share; the thread that serves all their connections among it.
struct APNsResources: Sendable {
    let time: any TimeSource
    let random: any RandomSource
    let log: Log
    let metrics: Metrics
    let reactor: HTTP2Reactor

    init(_ environment: WorkerEnvironment) {
        time = environment.time
        random = environment.random
        log = environment.log
        metrics = environment.metrics
        reactor = HTTP2Reactor(name: "apns", time: environment.time)
    }
}
