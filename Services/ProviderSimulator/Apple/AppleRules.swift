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
    private let bundle: String
    private var providerTokens: AppleProviderTokens
    private var payloads = ApplePayloads()
    private let phones: ApplePhones
    /// For pushes without an id; seeded once, since each system random number is a system call.
    private let messageIDs = SeededRandomSource(seed: SystemRandomSource().next())

    init(bundle: String, _ providerTokens: AppleProviderTokens, phones: ApplePhones) {
        self.bundle = bundle
        self.providerTokens = providerTokens
        self.phones = phones
    }

    func endpoint(of request: HTTP2ServerRequest) -> FaultRule.Endpoint { .send }

    mutating func changeCredentials(_ change: CredentialChange) {
        if let age = change.age { providerTokens.ageMaximum = age }
    }

    mutating func judge(_ request: HTTP2ServerRequest, now: Timestamp) -> Verdict {
        let headers = AppleHeaders(request.headers)
        let messageID = messageID(headers)
        do throws(AppleError) {
            let (delivery, type) = try check(request, headers: headers, now: now)
            switch AppleTokenPrefix.effect(of: delivery.device[...]) {
            case .refusal(let error): throw error
            case .fault(let fault): return Verdict(fault: fault)
            case nil: try phones.receive(request.body, token: delivery.device, type: type, now: now)
            }
            return Verdict(taken: [delivery], HTTP2Answer(200, headers: AppleRules.headers(messageID)))
        } catch {
            let answer = AppleRules.answer(
                error.status, reason: error.rawValue, goneSince: error.status == 410 ? now : nil, messageID: messageID)
            return Verdict(refusedFor: error.rawValue, answer)
        }
    }

    func answer(_ error: AskedError, to request: HTTP2ServerRequest, now: Timestamp) -> HTTP2Answer {
        let messageID = messageID(AppleHeaders(request.headers))
        guard error.status != 200 else { return HTTP2Answer(200, headers: AppleRules.headers(messageID)) }
        var answer = AppleRules.answer(
            error.status, reason: error.reason, goneSince: error.status == 410 ? now : nil, messageID: messageID)
        if let seconds = error.retryAfter { answer.headers.append("retry-after", String(seconds)) }
        return answer
    }

    private mutating func check(
        _ request: HTTP2ServerRequest, headers: AppleHeaders, now: Timestamp
    ) throws(AppleError) -> (Delivery, ApplePushType) {
        guard request.path.hasPrefix(AppleRules.pathPrefix) else { throw .badPath }
        guard request.method == "POST" else { throw .methodNotAllowed }
        if headers.hasDuplicates { throw .duplicateHeaders }
        let certified = AppleRules.bundle(certifiedFor: request.clientName)
        if certified == nil {
            try providerTokens.check(headers.authorization, connection: request.connection, now: now)
        }
        var token = String(request.path.utf8.dropFirst(AppleRules.pathPrefix.utf8.count)) ?? ""
        if token.isEmpty { throw .missingDeviceToken }
        guard token.withUTF8(AppleRules.isDeviceToken) else { throw .badDeviceToken }
        guard let type = ApplePushType(rawValue: headers.pushType ?? "alert") else { throw .invalidPushType }
        try checkTopic(headers.topic ?? certified, type: type, allowed: certified ?? bundle)
        try AppleRules.checkFields(headers, type: type)
        let task = try payloads.check(request.body, bytesMaximum: type.payloadBytesMaximum)
        return (Delivery(device: token, mark: headers.messageID, task: headers.collapseID ?? task), type)
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

    /// The sender's id, or a new one.
    private func messageID(_ headers: AppleHeaders) -> String {
        if let messageID = headers.messageID, AppleRules.isUUID(messageID) { return messageID }
        return TaskID(high: messageIDs.next(), low: messageIDs.next()).description
    }

    private static func headers(_ messageID: String) -> HTTP2Headers {
        var headers = HTTP2Headers()
        headers.append("apns-id", messageID, indexing: .nameOnly)
        return headers
    }

    private static func answer(
        _ status: Int, reason: String?, goneSince: Timestamp?, messageID: String
    ) -> HTTP2Answer {
        var headers = headers(messageID)
        headers.append("content-type", "application/json")
        let body = JSONText.object { json in
            if let reason { json.member("reason", reason) }
            if let goneSince { json.member("timestamp", Int(goneSince.milliseconds)) }
        }
        return HTTP2Answer(status, headers: headers, body: Array(body.utf8))
    }
}
