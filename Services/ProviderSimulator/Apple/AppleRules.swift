import HTTP2
import JSONKit
import PushModel
import ServiceKit

/// Checks pushes and forms answers as Apple does.
struct AppleRules: ProviderRules {
    /// The prefix of the bundle id in the common name of a certificate.
    static let certificatePrefix = "Apple Push Services: "
    private static let pathPrefix = "/3/device/"
    /// In hexadecimal digits; device tokens have 64, those of live activities more.
    private static let tokenDigits = 64...200
    private static let collapseIDBytesMaximum = 64

    /// The bundle id whose topics are allowed.
    let bundle: String
    private var providerTokens: AppleProviderTokens
    var payloads = ApplePayloads()
    let phones: ApplePhones
    let channels: AppleChannels
    /// For pushes without an id; seeded once, since each system random number is a system call.
    private let messageIDs = SeededRandomSource(seed: SystemRandomSource().next())

    init(
        bundle: String, _ providerTokens: AppleProviderTokens, phones: ApplePhones, channels: AppleChannels
    ) {
        self.bundle = bundle
        self.providerTokens = providerTokens
        self.phones = phones
        self.channels = channels
    }

    func endpoint(of request: HTTP2ServerRequest) -> FaultRule.Endpoint {
        // Nearly all requests are pushes, which the version in the path shows.
        switch request.path.utf8.dropFirst().first {
        case UInt8(ascii: "1") where request.path.hasPrefix(AppleRules.managementPrefix): .channels
        case UInt8(ascii: "4") where request.path.hasPrefix(AppleRules.broadcastPrefix): .broadcast
        default: .send
        }
    }

    mutating func changeCredentials(_ change: CredentialChange) {
        if let age = change.age { providerTokens.ageMaximum = age }
    }

    mutating func judge(_ request: HTTP2ServerRequest, now: Timestamp) -> Verdict {
        let headers = AppleHeaders(request.headers)
        let endpoint = endpoint(of: request)
        let echo = echo(headers, of: endpoint)
        do throws(AppleError) {
            switch endpoint {
            case .channels: return try manageChannels(request, headers: headers, echo: echo, now: now)
            case .broadcast: return try broadcast(request, headers: headers, echo: echo, now: now)
            case .send, .token: return try push(request, headers: headers, echo: echo, now: now)
            }
        } catch {
            let answer = AppleRules.answer(
                error.status, reason: error.rawValue, goneSince: error.status == 410 ? now : nil, headers: echo)
            return Verdict(refusedFor: error.rawValue, answer)
        }
    }

    func answer(_ error: AskedError, to request: HTTP2ServerRequest, now: Timestamp) -> HTTP2Answer {
        let echo = echo(AppleHeaders(request.headers), of: endpoint(of: request))
        guard error.status != 200 else { return HTTP2Answer(200, headers: echo) }
        var answer = AppleRules.answer(
            error.status, reason: error.reason, goneSince: error.status == 410 ? now : nil, headers: echo)
        if let seconds = error.retryAfter { answer.headers.append("retry-after", String(seconds)) }
        return answer
    }

    private mutating func push(
        _ request: HTTP2ServerRequest, headers: AppleHeaders, echo: HTTP2Headers, now: Timestamp
    ) throws(AppleError) -> Verdict {
        let (delivery, type) = try check(request, headers: headers, now: now)
        switch AppleTokenPrefix.effect(of: delivery.device[...]) {
        case .refusal(let error): throw error
        case .fault(let fault): return Verdict(fault: fault)
        case nil: try phones.receive(request.body, token: delivery.device, type: type, now: now)
        }
        return Verdict(taken: [delivery], HTTP2Answer(200, headers: echo))
    }

    private mutating func check(
        _ request: HTTP2ServerRequest, headers: AppleHeaders, now: Timestamp
    ) throws(AppleError) -> (Delivery, ApplePushType) {
        guard request.path.hasPrefix(AppleRules.pathPrefix) else { throw .badPath }
        guard request.method == "POST" else { throw .methodNotAllowed }
        if headers.hasDuplicates { throw .duplicateHeaders }
        let certified = try authenticate(request, headers: headers, now: now)
        var token = String(request.path.utf8.dropFirst(AppleRules.pathPrefix.utf8.count)) ?? ""
        if token.isEmpty { throw .missingDeviceToken }
        guard token.withUTF8(AppleRules.isDeviceToken) else { throw .badDeviceToken }
        guard let type = ApplePushType(rawValue: headers.pushType ?? "alert") else { throw .invalidPushType }
        try checkTopic(headers.topic ?? certified, type: type, allowed: certified ?? bundle)
        try AppleRules.checkFields(headers, type: type)
        let task = try payloads.check(request.body, bytesMaximum: type.payloadBytesMaximum)
        return (Delivery(device: token, mark: headers.messageID, task: headers.collapseID ?? task), type)
    }

    /// Returns the bundle id of the client's certificate. Without one it needs a provider token.
    mutating func authenticate(
        _ request: HTTP2ServerRequest, headers: AppleHeaders, now: Timestamp
    ) throws(AppleError) -> String? {
        let certified = AppleRules.bundle(certifiedFor: request.clientName)
        if certified == nil {
            try providerTokens.check(headers.authorization, connection: request.connection, now: now)
        }
        return certified
    }

    private func checkTopic(_ topic: String?, type: ApplePushType, allowed: String) throws(AppleError) {
        guard let topic, !topic.isEmpty else { throw .missingTopic }
        // The topic of a managed device is a separate id.
        if type == .mdm { return }
        guard let bundle = type.bundle(ofTopic: topic) else { throw .badTopic }
        if bundle != allowed { throw .topicDisallowed }
    }

    private static func checkFields(_ headers: AppleHeaders, type: ApplePushType) throws(AppleError) {
        guard type.allows(priority: headers.priority ?? "10") else { throw .badPriority }
        if let expiration = headers.expiration {
            guard let seconds = Int64(expiration), seconds >= 0 else { throw .badExpirationDate }
        }
        if let messageID = headers.messageID, !isUUID(messageID) { throw .badMessageID }
        if let collapseID = headers.collapseID, collapseID.utf8.count > collapseIDBytesMaximum {
            throw .badCollapseID
        }
    }

    private static func bundle(certifiedFor name: String?) -> String? {
        guard let name, name.hasPrefix(certificatePrefix) else { return nil }
        return String(name.dropFirst(certificatePrefix.count))
    }

    private static func isDeviceToken(_ token: UnsafeBufferPointer<UInt8>) -> Bool {
        tokenDigits.contains(token.count) && token.count.isMultiple(of: 2) && token.allSatisfy(isHexadecimal)
    }

    private static func isUUID(_ text: String) -> Bool {
        guard text.utf8.count == 36 else { return false }
        var position = 0
        return text.utf8.allSatisfy { character in
            defer { position += 1 }
            let isHyphen = position == 8 || position == 13 || position == 18 || position == 23
            return isHyphen ? character == UInt8(ascii: "-") : isHexadecimal(character)
        }
    }

    private static func isHexadecimal(_ character: UInt8) -> Bool {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }

    /// The field that repeats the sender's id of the request, or has a new one.
    private func echo(_ headers: AppleHeaders, of endpoint: FaultRule.Endpoint) -> HTTP2Headers {
        let isPush = endpoint == .send
        let known = (isPush ? headers.messageID : headers.requestID).flatMap { AppleRules.isUUID($0) ? $0 : nil }
        let id = known ?? TaskID(high: messageIDs.next(), low: messageIDs.next()).description
        var echo = HTTP2Headers()
        echo.append(isPush ? "apns-id" : "apns-request-id", id, indexing: .nameOnly)
        return echo
    }

    private static func answer(
        _ status: Int, reason: String?, goneSince: Timestamp?, headers: HTTP2Headers
    ) -> HTTP2Answer {
        let json = JSONText.object { json in
            if let reason { json.member("reason", reason) }
            if let goneSince { json.member("timestamp", Int(goneSince.milliseconds)) }
        }
        return answer(status, headers: headers, json: json)
    }

    static func answer(_ status: Int, headers: HTTP2Headers, json: String) -> HTTP2Answer {
        var headers = headers
        headers.append("content-type", "application/json")
        return HTTP2Answer(status, headers: headers, body: Array(json.utf8))
    }
}
