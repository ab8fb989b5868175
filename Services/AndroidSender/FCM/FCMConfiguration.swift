import HTTP2
import HTTPClient
import ProviderKit
import ServiceKit
import TLSSocket

/// Google's messaging service, and the limits for sending to it.
struct FCMConfiguration: Sendable {
    var endpoint = HTTP2Endpoint(host: "fcm.googleapis.com")
    /// A PEM file of authorities to trust instead of the system's.
    var authorityFile: String?
    var connections = 4
    /// Of one app.
    var inFlightMaximum = 1_000
    /// For one push.
    var deadline = Duration.seconds(20)
    /// Of one project, over all senders.
    var pushesPerMinute = 600_000

    init() {}

    init(environment: inout EnvironmentReader) {
        endpoint.host = environment.host(
            "CARILLON_FCM_HOST", default: endpoint.host, meaning: "Host of Firebase Cloud Messaging.")
        endpoint.port = UInt16(
            clamping: environment.integer(
                "CARILLON_FCM_PORT", default: Int(endpoint.port), in: 1...65_535,
                meaning: "Port of Firebase Cloud Messaging."))
        authorityFile = environment.authorityFile("CARILLON_FCM_CA_FILE", of: "Google")
        connections = environment.integer(
            "CARILLON_FCM_CONNECTIONS", default: connections, in: 1...64,
            meaning: "Connections to Google, for all apps.")
        inFlightMaximum = environment.integer(
            "CARILLON_FCM_IN_FLIGHT", default: inFlightMaximum, in: 1...10_000,
            meaning: "Maximum pushes of one app in flight to Google.")
        deadline = environment.duration(
            "CARILLON_FCM_REQUEST_LIMIT", default: deadline, in: .seconds(1) ... .seconds(30),
            meaning: "Deadline for the answer to one push; without an answer its outcome is unknown.")
        pushesPerMinute = environment.integer(
            "CARILLON_FCM_PUSHES_PER_MINUTE", default: pushesPerMinute, in: 1...100_000_000,
            meaning: "Google's quota of one project, shared by all senders.")
    }

    var window: SendWindow.Settings { SendWindow.Settings(ceiling: inFlightMaximum, patience: .seconds(10)) }

    var pool: HTTP2Configuration {
        var pool = HTTP2Configuration()
        pool.tls.authorityFile = authorityFile
        pool.connections = connections
        pool.requestLimit = deadline
        pool.requestsMaximum = max(pool.requestsMaximum, inFlightMaximum * 2)
        return pool
    }

    /// For access tokens.
    var tokenClient: HTTPClientConfiguration {
        var client = HTTPClientConfiguration(name: "fcm-oauth")
        client.authorityFile = authorityFile
        client.deadline = .seconds(10)
        return client
    }
}
