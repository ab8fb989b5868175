import ServiceKit

/// The accounts of one app at all providers, new at each start.
struct SimulatedAccounts: Sendable {
    let apple: AppleAccount
    let google: GoogleAccount
    let huawei: HuaweiAccount
    let wns: WNSAccount
    let http: HTTPReceiverAccount

    init(_ configuration: SimulatorConfiguration, in folder: SimulatorFolder) throws {
        apple = try AppleAccount(in: folder)
        google = try GoogleAccount(project: configuration.project)
        huawei = try HuaweiAccount(in: folder)
        wns = try WNSAccount(in: folder)
        http = try HTTPReceiverAccount(in: folder)
    }

    func rules(
        _ configuration: SimulatorConfiguration, _ subscriptions: WebPushSubscriptions, phones: ApplePhones,
        channels: AppleChannels
    ) -> [Provider: any ProviderRules] {
        [
            .apns: AppleRules(
                bundle: configuration.bundle, AppleProviderTokens(of: apple), phones: phones, channels: channels),
            .fcm: GoogleRules(google),
            .huawei: HuaweiRules(huawei),
            .webpush: WebPushRules(subscriptions),
            .wns: WNSRules(wns),
            .mpns: MPNSRules(),
            .http: HTTPReceiverRules(http),
        ]
    }
}
