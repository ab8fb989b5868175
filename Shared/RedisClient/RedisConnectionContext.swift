import ServiceKit

/// Parameters of a connection: address, settings, and where to report.
struct RedisConnectionContext: Sendable {
    let address: RedisConfiguration.Address
    let configuration: RedisConfiguration
    let log: Log
    let durations: Histogram
    let reconnects: Counter
    let time: any TimeSource
    let random: any RandomSource
}
