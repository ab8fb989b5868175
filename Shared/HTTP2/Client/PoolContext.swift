import ServiceKit

/// The dependencies shared by all parts of one pool.
struct PoolContext: Sendable {
    let endpoint: HTTP2Endpoint
    let configuration: HTTP2Configuration
    let log: Log
    let instruments: PoolInstruments
    let time: any TimeSource
    let random: any RandomSource
}
