import HTTP2
import ServiceKit

/// Destination and content of the requests, the same for h2load and for the client.
struct SendTarget: Sendable {
    /// Paths of Apple's, for enough devices that no single one matters.
    static var applePaths: [String] { (0..<1_000).map { "/3/device/\(LocalSimulator.deviceToken($0))" } }

    let simulator: LocalSimulator
    let endpoint: HTTP2Endpoint
    let paths: [String]
    let headers: [(name: String, value: String, indexing: HTTP2Headers.Indexing)]
    let body: [UInt8]
    /// True if a new connection may carry only one request until the first was accepted, as Apple requires.
    let holdsBackStreams: Bool

    static func apple(_ simulator: LocalSimulator) throws -> SendTarget {
        let announcement = simulator.announcement
        return SendTarget(
            simulator: simulator, endpoint: announcement.endpoint("apns"), paths: applePaths,
            headers: [
                ("apns-topic", announcement.appleTopic, .table), ("apns-push-type", "alert", .table),
                ("apns-priority", "10", .table), ("apns-expiration", "0", .table),
                ("authorization", "bearer \(try announcement.appleToken())", .nameOnly),
            ],
            body: Array(#"{"aps":{"alert":{"title":"Bench","body":"A push like any other"},"badge":1}}"#.utf8),
            holdsBackStreams: true)
    }

    static func google(_ simulator: LocalSimulator) async throws -> SendTarget {
        let account = try GoogleAccess(simulator.announcement)
        let message =
            #"{"message":{"token":"bench:device","notification":{"title":"Bench","body":"A push like any other"},"#
            + #""android":{"priority":"HIGH"}}}"#
        return SendTarget(
            simulator: simulator, endpoint: simulator.announcement.endpoint("fcm"),
            paths: [account.path],
            headers: [
                ("content-type", "application/json", .table),
                ("authorization", "Bearer \(try await account.token())", .table),
            ],
            body: Array(message.utf8), holdsBackStreams: false)
    }

    /// The requests as h2load sends them.
    var h2loadRequests: H2Load.Requests {
        H2Load.Requests(
            port: endpoint.port, paths: paths, headers: headers.map { ($0.name, $0.value) }, body: body)
    }

    var sharedHeaders: HTTP2Headers {
        headers.reduce(into: HTTP2Headers()) { $0.append($1.name, $1.value, indexing: $1.indexing) }
    }

    func pool(_ shape: SendShape) -> HTTP2Pool {
        var configuration = simulator.announcement.trust
        configuration.connections = shape.connections
        // Otherwise one connection would take all requests and the others would never be opened.
        configuration.streamsMaximum = shape.streamsPerConnection
        if holdsBackStreams { configuration.provesAuthentication = { $0.status == 200 } }
        return HTTP2Pool(endpoint, configuration: configuration, log: .bench, metrics: Metrics())
    }
}
