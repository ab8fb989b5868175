import ProviderKit
import PushModel
import ServiceKit

/// Apple's API for the broadcast channels of one app. Senders call it over HTTP/2, a simulation without connections.
protocol ChannelAPI: Sendable {
    /// For an answer.
    var limit: Duration { get }

    func create(in environment: Device.Environment, token: BearerToken?) async -> ChannelClient.Reply<PushToken>
    /// A channel that does not exist is deleted.
    func delete(
        _ channel: PushToken, in environment: Device.Environment, token: BearerToken?
    ) async -> ChannelClient.Reply<Void>
    func list(in environment: Device.Environment, token: BearerToken?) async -> ChannelClient.Reply<[String]>
    /// Nil for an app with a certificate.
    func token() async throws -> BearerToken?
    /// Apple did not accept the token.
    func refuse(_ token: BearerToken)
}
