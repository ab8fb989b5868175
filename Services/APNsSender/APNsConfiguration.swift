import HTTP2
import ProviderKit
import ServiceKit

/// Apple's hosts, and the limits for sending to them.
struct APNsConfiguration: Sendable {
    var production = HTTP2Endpoint(host: "api.push.apple.com")
    var sandbox = HTTP2Endpoint(host: "api.sandbox.push.apple.com")
    var authorityFile: String?
    var connections = 2
    var window = SendWindow.Settings()
    var requestLimit = Duration.seconds(15)
    var reconnectBackoff = Backoff(first: .milliseconds(200), longest: .seconds(30))
    var tokenWindow = TokenWindow.apns()
    var leaseMargin = Duration.seconds(10)

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
        leaseMargin = environment.leaseMargin("CARILLON_APNS_LEASE_MARGIN", default: leaseMargin)
    }

    var claimLease: Duration {
        ClaimLease.lasting(request: requestLimit, token: APNsConfiguration.tokenLimit, margin: leaseMargin)
    }
}
