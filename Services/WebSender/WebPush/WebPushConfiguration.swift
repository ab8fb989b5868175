import HTTP2
import HTTPClient
import ProviderKit
import ServiceKit
import TLSSocket

/// Limits for sending to the push services of browsers.
struct WebPushConfiguration: Sendable {
    var traffic = OriginConfiguration(deadline: .seconds(15))
    /// For each of them.
    var connections = 2
    /// Pools are few: a service that is addressed by more names than that gets its further pushes like any server.
    var poolsMaximum = 64

    init() {
        services = .usual
    }

    /// The large push services: they get connections of their own, and may refuse the app's key.
    var services: PushServiceList {
        get { traffic.origins.large }
        set { traffic.origins.large = newValue }
    }

    init(environment: inout EnvironmentReader, addresses: AddressPolicy) {
        traffic = OriginConfiguration(
            environment: &environment, prefix: "CARILLON_WEBPUSH", provider: "push services",
            deadline: traffic.deadline, addresses: addresses)
        services = environment.parse(
            "CARILLON_WEBPUSH_SERVICES", default: .usual, text: PushServiceList.usual.description,
            meaning:
                "Large push services, separated by commas: their pushes share a few HTTP/2 connections, and only they "
                + "may halt an app whose key they refuse.",
            expected: "host names, each with a port if it is not 443, and with *. before a domain for all hosts in it"
        ) {
            PushServiceList($0)
        }
        connections = environment.integer(
            "CARILLON_WEBPUSH_CONNECTIONS", default: connections, in: 1...64,
            meaning: "Connections to each host of a large push service.")
    }

    /// All apps share the connections to a push service.
    var pool: HTTP2Configuration {
        var pool = HTTP2Configuration()
        pool.connections = connections
        pool.requestLimit = traffic.deadline
        pool.openLimit = min(traffic.deadline, pool.openLimit)
        pool.requestsMaximum = max(pool.requestsMaximum, traffic.inFlightMaximum * 2)
        pool.responseBodyMaximum = OriginRequests.responseBytesMaximum
        pool.tls.authorityFile = traffic.authorityFile
        // Services without HTTP/2 are told apart from those that cannot be reached.
        pool.tls.applicationProtocols = ["http/1.1"]
        pool.permitsAddress = { [addresses = traffic.addresses] in addresses.permits($0) }
        return pool
    }
}
