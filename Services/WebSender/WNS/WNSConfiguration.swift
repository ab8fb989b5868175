import HTTPClient
import ProviderKit
import ServiceKit

/// Microsoft's push service for Windows, and the limits for sending to it.
struct WNSConfiguration: Sendable {
    var traffic = OriginConfiguration(deadline: .seconds(15))
    /// The access token goes to no other host.
    var domains = ["notify.windows.com"]
    /// For apps of the store.
    var tokenURL = "https://login.live.com/accesstoken.srf"
    /// For apps with a tenant of Microsoft Entra.
    var tenantURL = "https://login.microsoftonline.com"

    init() {}

    init(environment: inout EnvironmentReader, addresses: AddressPolicy) {
        traffic = OriginConfiguration(
            environment: &environment, prefix: "CARILLON_WNS", provider: "WNS", deadline: traffic.deadline,
            addresses: addresses)
        domains = environment.domains("CARILLON_WNS_DOMAINS", default: domains, of: "WNS")
        tokenURL = environment.secureURL(
            "CARILLON_WNS_TOKEN_URL", default: tokenURL,
            meaning: "Microsoft's URL for access tokens of apps without a tenant.")
        tenantURL = environment.secureURL(
            "CARILLON_WNS_TENANT_URL", default: tenantURL,
            meaning: "Origin of Microsoft Entra, for access tokens of apps with a tenant.")
    }

    var tokenClient: HTTPClientConfiguration {
        var client = HTTPClientConfiguration(name: "wns-oauth")
        client.authorityFile = traffic.authorityFile
        client.deadline = .seconds(10)
        return client
    }
}
