import HTTP2
import JSONKit
import ServiceKit

/// Apple's endpoints that manage broadcast channels, and the one that publishes to them.
extension AppleRules {
    static let managementPrefix = "/1/apps/"
    static let broadcastPrefix = "/4/broadcasts/apps/"
    private static let pushType = "LiveActivity"
    private static let policyName = "message-storage-policy"
    private static let broadcastBytesMaximum = 5_120
    private static let broadcastPriorities = ["10", "5"]

    /// A call that is allowed to this client.
    private enum ChannelCall {
        case create
        case read(String)
        case delete(String)
        case list
    }

    mutating func manageChannels(
        _ request: HTTP2ServerRequest, headers: AppleHeaders, echo: HTTP2Headers, now: Timestamp
    ) throws(AppleError) -> Verdict {
        switch try channelCall(request, headers: headers, now: now) {
        case .create:
            let policy = try AppleRules.newPolicy(request.body)
            var headers = echo
            headers.append("apns-channel-id", try channels.create(policy, now: now), indexing: .nameOnly)
            return Verdict(changed: HTTP2Answer(201, headers: headers))
        case .read(let id):
            let policy = try channels.policy(of: id)
            return Verdict(taken: [], AppleRules.answer(200, headers: echo, json: AppleRules.configuration(policy)))
        case .delete(let id):
            try channels.remove(id)
            return Verdict(changed: HTTP2Answer(204, headers: echo))
        case .list:
            let json = JSONText.object { $0.member("channels", json: JSONText.array(channels.ids)) }
            return Verdict(taken: [], AppleRules.answer(200, headers: echo, json: json))
        }
    }

    private mutating func channelCall(
        _ request: HTTP2ServerRequest, headers: AppleHeaders, now: Timestamp
    ) throws(AppleError) -> ChannelCall {
        let parts = request.path.dropFirst(AppleRules.managementPrefix.count).split(
            separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, ["channels", "all-channels"].contains(parts[1]) else { throw .badPath }
        let isList = parts[1] == "all-channels"
        guard isList ? request.method == "GET" : ["GET", "POST", "DELETE"].contains(request.method) else {
            throw .methodNotAllowed
        }
        try authorize(request, headers: headers, bundle: parts[0], now: now)
        if isList { return .list }
        switch request.method {
        case "POST": return .create
        case "GET": return .read(try AppleRules.channel(headers))
        default: return .delete(try AppleRules.channel(headers))
        }
    }

    mutating func broadcast(
        _ request: HTTP2ServerRequest, headers: AppleHeaders, echo: HTTP2Headers, now: Timestamp
    ) throws(AppleError) -> Verdict {
        let bundle = request.path.dropFirst(AppleRules.broadcastPrefix.count)
        guard !bundle.isEmpty, !bundle.utf8.contains(UInt8(ascii: "/")) else { throw .badPath }
        guard request.method == "POST" else { throw .methodNotAllowed }
        try authorize(request, headers: headers, bundle: bundle, now: now)
        let channel = try AppleRules.channel(headers)
        guard let type = headers.pushType else { throw .missingPushType }
        guard type == ApplePushType.liveactivity.rawValue else { throw .invalidPushType }
        guard AppleRules.broadcastPriorities.contains(headers.priority ?? "") else { throw .badPriority }
        let policy = try channels.policy(of: channel)
        guard let expiration = headers.expiration.flatMap({ Int64($0) }), expiration >= 0,
            policy == .newestPush || expiration == 0
        else { throw .badExpirationDate }
        let task = try payloads.check(request.body, bytesMaximum: AppleRules.broadcastBytesMaximum)
        channels.countBroadcast(on: channel)
        phones.receive(request.body, onChannel: channel, now: now)
        let delivery = Delivery(device: channel, mark: headers.requestID, task: task)
        return Verdict(taken: [delivery], HTTP2Answer(200, headers: echo))
    }

    /// The bundle id is in the path, and is no topic.
    private mutating func authorize(
        _ request: HTTP2ServerRequest, headers: AppleHeaders, bundle: Substring, now: Timestamp
    ) throws(AppleError) {
        if headers.hasDuplicates { throw .duplicateHeaders }
        let certified = try authenticate(request, headers: headers, now: now)
        guard ApplePushType.alert.bundle(ofTopic: String(bundle)) != nil else { throw .topicDisallowed }
        if bundle != certified ?? self.bundle { throw .topicMismatch }
        try channels.checkIsEnabled()
    }

    private static func channel(_ headers: AppleHeaders) throws(AppleError) -> String {
        guard let id = headers.channelID, !id.isEmpty else { throw .missingChannelID }
        guard AppleChannels.isID(id) else { throw .badChannelID }
        return id
    }

    private static func newPolicy(_ body: [UInt8]) throws(AppleError) -> AppleChannels.StoragePolicy {
        guard let document = try? JSON(body), document.object != nil else { throw .badRequestPayload }
        guard let type = document["push-type"] else { throw .missingPushType }
        guard type.text == pushType, case .integer(let number) = document[policyName],
            let policy = AppleChannels.StoragePolicy(rawValue: number)
        else { throw .badRequestParams }
        return policy
    }

    private static func configuration(_ policy: AppleChannels.StoragePolicy) -> String {
        JSONText.object { json in
            json.member(policyName, Int(policy.rawValue))
            json.member("push-type", pushType)
        }
    }
}
