import Bus
import HTTP2
import ServiceKit

/// Resources shared by all accounts of a process, including the thread that serves their connections.
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
