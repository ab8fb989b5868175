import HTTPClient
import ProviderKit
import ServiceKit

/// Limits for sending to servers of publishers.
struct HTTPPushConfiguration: Sendable {
    var traffic = OriginConfiguration(deadline: .seconds(10))

    init() {}

    init(environment: inout EnvironmentReader, addresses: AddressPolicy) {
        traffic = OriginConfiguration(
            environment: &environment, prefix: "CARILLON_HTTP_PUSH", provider: "publishers' servers",
            deadline: traffic.deadline, addresses: addresses)
    }
}
