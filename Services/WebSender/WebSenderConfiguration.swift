import ProviderKit
import ServiceKit
import Topics

/// Settings of `web-sender`, beside those of every service.
struct WebSenderConfiguration: Sendable {
    let sender: SenderConfiguration
    let webpush: WebPushConfiguration
    let wns: WNSConfiguration
    let mpns: MPNSConfiguration
    let http: HTTPPushConfiguration
    let tokenLimit: Duration
    let leaseMargin: Duration

    init(environment: inout EnvironmentReader) {
        sender = SenderConfiguration(environment: &environment, of: .web, concurrency: "CARILLON_WEB_CONCURRENCY")
        let addresses = AddressPolicy(
            allowing: "CARILLON_WEB_ALLOW_ADDRESSES", for: "pushes", environment: &environment)
        webpush = WebPushConfiguration(environment: &environment, addresses: addresses)
        wns = WNSConfiguration(environment: &environment, addresses: addresses)
        mpns = MPNSConfiguration(environment: &environment, addresses: addresses)
        http = HTTPPushConfiguration(environment: &environment, addresses: addresses)
        tokenLimit = environment.duration(
            "CARILLON_WEB_TOKEN_LIMIT", default: .seconds(30), in: .seconds(1) ... .seconds(60),
            meaning: "Time Microsoft has to issue an access token.")
        leaseMargin = environment.leaseMargin("CARILLON_WEB_LEASE_MARGIN", default: .seconds(15))
    }

    var claimLease: Duration {
        let slowest = [webpush.traffic, wns.traffic, mpns.traffic, http.traffic].map(\.sendLimit).max() ?? .zero
        return ClaimLease.lasting(request: slowest, token: tokenLimit, margin: leaseMargin)
    }
}
