import HTTP2
import JSONKit
import ProviderKit
import PushModel
import ServiceKit

/// Calls Apple's API for the broadcast channels of one app.
struct ChannelClient: ChannelAPI {
    enum Reply<Value: Sendable>: Sendable {
        case done(Value)
        case refused(ProviderAnswer)
        /// Apple may have carried it out or not.
        case unanswered(String)
    }

    /// Apple lists at most 10,000 channels. The ids of its documentation have 24 bytes.
    static let listBytesMaximum = 2 << 20
    /// Apple's reason if a channel does not exist.
    static let unknownChannel = "ChannelNotRegistered"
    private static let listLimits = JSONLimits(bytesMaximum: listBytesMaximum, depthMaximum: 4)
    /// With storage policy 1 Apple keeps the newest push for phones that are not connected.
    private static let creation = #"{"message-storage-policy":1,"push-type":"LiveActivity"}"#

    let topic: String
    let account: APNsAccount

    var limit: Duration { account.configuration.channelLimit }

    func create(in environment: Device.Environment, token: BearerToken?) async -> Reply<PushToken> {
        let request = request(.post, "channels", token: token, body: Array(ChannelClient.creation.utf8))
        return await reply(to: request, in: environment) { response in
            guard response.status == 201 else { return nil }
            guard let id = response.headers["apns-channel-id"], let channel = try? PushToken(.channel, text: id) else {
                return .unanswered("Apple's answer names no channel")
            }
            return .done(channel)
        }
    }

    func delete(_ channel: PushToken, in environment: Device.Environment, token: BearerToken?) async -> Reply<Void> {
        var request = request(.delete, "channels", token: token)
        request.headers.append("apns-channel-id", channel.text, indexing: .nameOnly)
        return await reply(to: request, in: environment) { response in
            switch response.status {
            case 200, 204: .done(())
            case 400 where APNsAnswer.answer(response).reason == ChannelClient.unknownChannel: .done(())
            default: nil
            }
        }
    }

    func list(in environment: Device.Environment, token: BearerToken?) async -> Reply<[String]> {
        await reply(to: request(.get, "all-channels", token: token), in: environment) { response in
            guard response.status == 200 else { return nil }
            guard !response.isTruncated, let json = try? JSON(response.body, limits: ChannelClient.listLimits),
                let channels = json["channels"]?.elements
            else { return .unanswered("Apple's list of channels cannot be read") }
            return .done(channels.compactMap(\.text))
        }
    }

    func token() async throws -> BearerToken? { try await account.tokens?.token() }

    func refuse(_ token: BearerToken) { _ = account.tokens?.refuse(token) }

    private func request(
        _ method: HTTP2Request.Method, _ resource: String, token: BearerToken?, body: [UInt8] = []
    ) -> HTTP2Request {
        var headers = HTTP2Headers()
        if let token { headers.append("authorization", "bearer " + token.value.reveal(), indexing: .nameOnly) }
        return HTTP2Request(
            method, "/1/apps/\(topic)/\(resource)", headers: headers, body: body,
            limit: limit)
    }

    /// `read` returns nil for an answer that is a refusal.
    private func reply<Value: Sendable>(
        to request: HTTP2Request, in environment: Device.Environment, read: (HTTP2Response) -> Reply<Value>?
    ) async -> Reply<Value> {
        guard let line = account.line(to: APNsHost(.channels, isSandbox: environment == .sandbox)) else {
            return .unanswered("the app's credentials were changed")
        }
        switch await line.call(request) {
        case .answered(let response): return read(response) ?? .refused(APNsAnswer.answer(response))
        case .notSent(let error), .unknown(let error): return .unanswered(error.message)
        }
    }
}
