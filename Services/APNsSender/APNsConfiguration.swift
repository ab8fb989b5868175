import HTTP2
import ProviderKit
import ServiceKit

/// Apple's hosts, and the limits for sending to them.
struct APNsConfiguration: Sendable {
    var production = HTTP2Endpoint(host: "api.push.apple.com")
    var sandbox = HTTP2Endpoint(host: "api.sandbox.push.apple.com")
    /// Nil for the hosts above.
    var productionBroadcasts: HTTP2Endpoint?
    var sandboxBroadcasts: HTTP2Endpoint?
    var productionChannels = HTTP2Endpoint(host: "api-manage-broadcast.push.apple.com", port: 2_196)
    var sandboxChannels = HTTP2Endpoint(host: "api-manage-broadcast.sandbox.push.apple.com", port: 2_195)
    var authorityFile: String?
    var connections = 2
    var window = SendWindow.Settings()
    var requestLimit = Duration.seconds(15)
    var reconnectBackoff = Backoff(first: .milliseconds(200), longest: .seconds(30))
    var tokenWindow = TokenWindow.apns()
    var leaseMargin = Duration.seconds(10)
    /// How long a channel is kept after the end of its activity.
    var channelRetention = Duration.seconds(4 * 3_600)
    var deletesUnknownChannels = false

    /// Signing is quick; this limit is for a file system that hangs.
    static let tokenLimit = Duration.seconds(5)

    init() {}

    init(environment: inout EnvironmentReader) {
        self.init()
        let port = UInt16(
            environment.integer(
                "CARILLON_APNS_PORT", default: 443, in: 1...65_535,
                meaning: "Port of both hosts; Apple also offers 2197."))
        production = HTTP2Endpoint(
            host: environment.host(
                "CARILLON_APNS_HOST", default: production.host, meaning: "Apple's host for production devices."),
            port: port)
        sandbox = HTTP2Endpoint(
            host: environment.host(
                "CARILLON_APNS_SANDBOX_HOST", default: sandbox.host,
                meaning: "Apple's host for development devices."),
            port: port)
        readChannelHosts(&environment, port: port)
        authorityFile = environment.authorityFile("CARILLON_APNS_CA_FILE", of: "Apple")
        connections = environment.integer(
            "CARILLON_APNS_CONNECTIONS", default: connections, in: 1...64,
            meaning: "Connections to each host for each APNs key or certificate.")
        window.ceiling = environment.integer(
            "CARILLON_APNS_IN_FLIGHT", default: window.ceiling, in: 1...20_000,
            meaning: "Maximum pushes of one app in flight to Apple; fewer while Apple throttles.")
        requestLimit = environment.duration(
            "CARILLON_APNS_REQUEST_LIMIT", default: requestLimit, in: .milliseconds(100) ... .seconds(60),
            meaning: "Time Apple has to answer one push; without an answer its outcome is unknown.")
        tokenWindow = .apns(
            lifetime: environment.duration(
                "CARILLON_APNS_TOKEN_LIFETIME", default: .seconds(3_600), in: .seconds(1) ... .seconds(3_600),
                meaning:
                    "How long Apple accepts a provider token; it is renewed after three quarters of that, and replaced "
                    + "after a third at the earliest."))
        channelRetention = environment.duration(
            "CARILLON_APNS_CHANNEL_RETENTION", default: channelRetention, in: .seconds(1) ... .seconds(12 * 3_600),
            meaning: "How long a channel is kept after the end of its Live Activity, for phones that are not connected."
        )
        deletesUnknownChannels = environment.parse(
            "CARILLON_APNS_DELETE_UNKNOWN_CHANNELS", default: false, text: "false",
            meaning:
                "`true` deletes channels at Apple that no activity has, ten minutes after they were found. Only if no "
                + "other system makes channels for the same apps.",
            expected: "true or false", convert: { Bool($0) })
        leaseMargin = environment.leaseMargin("CARILLON_APNS_LEASE_MARGIN", default: leaseMargin)
    }

    /// Apple's own texts disagree on the host of broadcasts.
    private mutating func readChannelHosts(_ environment: inout EnvironmentReader, port: UInt16) {
        productionBroadcasts = HTTP2Endpoint(
            host: environment.host(
                "CARILLON_APNS_BROADCAST_HOST", default: production.host,
                meaning: "Apple's host for broadcasts to channels of production devices."),
            port: port)
        sandboxBroadcasts = HTTP2Endpoint(
            host: environment.host(
                "CARILLON_APNS_SANDBOX_BROADCAST_HOST", default: sandbox.host,
                meaning: "Apple's host for broadcasts to channels of development devices."),
            port: port)
        productionChannels = APNsConfiguration.channels(
            &environment, prefix: "CARILLON_APNS_CHANNEL", default: productionChannels,
            meaning: "Apple's host that manages the channels of production devices.")
        sandboxChannels = APNsConfiguration.channels(
            &environment, prefix: "CARILLON_APNS_SANDBOX_CHANNEL", default: sandboxChannels,
            meaning: "Apple's host that manages the channels of development devices.")
    }

    private static func channels(
        _ environment: inout EnvironmentReader, prefix: String, default endpoint: HTTP2Endpoint, meaning: String
    ) -> HTTP2Endpoint {
        HTTP2Endpoint(
            host: environment.host("\(prefix)_HOST", default: endpoint.host, meaning: meaning),
            port: UInt16(
                environment.integer(
                    "\(prefix)_PORT", default: Int(endpoint.port), in: 1...65_535, meaning: "Port of that host.")))
    }

    func endpoint(of host: APNsHost) -> HTTP2Endpoint {
        switch host.purpose {
        case .devices: host.isSandbox ? sandbox : production
        case .broadcasts: host.isSandbox ? sandboxBroadcasts ?? sandbox : productionBroadcasts ?? production
        case .channels: host.isSandbox ? sandboxChannels : productionChannels
        }
    }

    /// The same connections serve broadcasts if they go to the same host.
    func shared(_ host: APNsHost) -> APNsHost {
        let devices = APNsHost(.devices, isSandbox: host.isSandbox)
        return host.purpose == .broadcasts && endpoint(of: host) == endpoint(of: devices) ? devices : host
    }

    /// Time Apple has to make a channel, while the pushes that start its activity wait.
    var channelLimit: Duration { min(requestLimit, .seconds(3)) }

    var claimLease: Duration {
        ClaimLease.lasting(
            request: requestLimit + channelLimit, token: APNsConfiguration.tokenLimit, margin: leaseMargin)
    }
}
