import HTTPClient
import ProviderKit
import ServiceKit

/// Microsoft's push service for Windows Phone, and the limits for sending to it.
struct MPNSConfiguration: Sendable {
    var traffic = OriginConfiguration(deadline: .seconds(15))
    var domains = ["notify.live.net"]

    init() {}

    init(environment: inout EnvironmentReader, addresses: AddressPolicy) {
        traffic = OriginConfiguration(
            environment: &environment, prefix: "CARILLON_MPNS", provider: "MPNS", deadline: traffic.deadline,
            addresses: addresses)
        domains = environment.domains("CARILLON_MPNS_DOMAINS", default: domains, of: "MPNS")
    }
}
