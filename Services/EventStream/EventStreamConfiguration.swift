import Apps
import HTTPServer
import ServiceKit

/// Settings of `event-stream`, beside those of every service.
struct EventStreamConfiguration: Sendable {
    let apps: AppsConfiguration
    let server: HTTPServerConfiguration
    let limits: EventHub.Limits
    let drainSpread: Duration

    /// Room for requests that open no stream, such as refused ones.
    private static let otherConnections = 1_000
    private static let listenersMaximum = 20_000

    init(environment: inout EnvironmentReader) {
        apps = AppsConfiguration(environment: &environment, reading: [.pepper])
        var defaults = HTTPServerConfiguration()
        defaults.port = 8_081
        defaults.connectionsMaximum =
            EventStreamConfiguration.listenersMaximum + EventStreamConfiguration.otherConnections
        // No route has a body.
        defaults.bodyBytesMaximum = 0
        defaults.bodiesBytesMaximum = 1 << 20
        server = HTTPServerConfiguration(publicPortOf: "CARILLON_STREAM", environment: &environment, defaults: defaults)
        limits = EventHub.Limits(
            listenersMaximum: environment.integer(
                "CARILLON_STREAM_LISTENERS_MAX", default: EventStreamConfiguration.listenersMaximum, in: 1...1_000_000,
                meaning: "Open streams of this process; further ones are refused with 503."),
            listenersPerAppMaximum: environment.integer(
                "CARILLON_STREAM_LISTENERS_PER_APP_MAX", default: EventStreamConfiguration.listenersMaximum,
                in: 1...1_000_000,
                meaning: "Open streams of one app in this process; further ones are refused with 503."),
            historyBytesMaximum: environment.bytes(
                "CARILLON_STREAM_HISTORY_BYTES", default: 64 << 20, in: (1 << 20)...(4 << 30),
                meaning: "Memory for the newest events, from which clients continue after an interruption."))
        drainSpread = environment.duration(
            "CARILLON_STREAM_DRAIN_SPREAD", default: .seconds(5), in: .milliseconds(500) ... .seconds(300),
            meaning: "When the service stops, its clients are told to open their streams again spread over this time.")
    }
}
