import ProviderKit
import ServiceKit
import Topics

/// Settings of `web-sender`, beside those of every service.
struct WebSenderConfiguration: Sendable {
    let sender: SenderConfiguration
    private(set) var webpush: WebPushConfiguration
    private(set) var wns: WNSConfiguration
    private(set) var mpns: MPNSConfiguration
    private(set) var http: HTTPPushConfiguration
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
        let patience = environment.duration(
            "CARILLON_WEB_SERVER_WAIT", default: OriginSettings().patience, in: .milliseconds(100) ... .seconds(10),
            meaning: "How long a push waits while others to the same server are in flight; then it is held back for 2s."
        )
        webpush.traffic.origins.patience = patience
        wns.traffic.origins.patience = patience
        mpns.traffic.origins.patience = patience
        http.traffic.origins.patience = patience
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
