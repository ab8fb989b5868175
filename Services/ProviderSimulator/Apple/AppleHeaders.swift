import HTTP2
import ServiceKit

/// The fields of a request to Apple, read in one pass.
struct AppleHeaders {
    private(set) var authorization: String?
    private(set) var topic: String?
    private(set) var pushType: String?
    private(set) var priority: String?
    private(set) var expiration: String?
    private(set) var collapseID: String?
    private(set) var messageID: String?
    /// Of a call about a channel.
    private(set) var channelID: String?
    private(set) var requestID: String?
    private(set) var hasDuplicates = false

    init(_ headers: HTTP2Headers) {
        headers.forEachField { field in
            let isFirst =
                switch field.name.count {
                case 7: AppleHeaders.take(field, name: "apns-id", value: &messageID)
                case 10: AppleHeaders.take(field, name: "apns-topic", value: &topic)
                case 13 where field.name[1] == UInt8(ascii: "u"):
                    AppleHeaders.take(field, name: "authorization", value: &authorization)
                case 13: AppleHeaders.take(field, name: "apns-priority", value: &priority)
                case 14: AppleHeaders.take(field, name: "apns-push-type", value: &pushType)
                case 15 where field.name[5] == UInt8(ascii: "c"):
                    AppleHeaders.take(field, name: "apns-channel-id", value: &channelID)
                case 15 where field.name[5] == UInt8(ascii: "r"):
                    AppleHeaders.take(field, name: "apns-request-id", value: &requestID)
                case 15: AppleHeaders.take(field, name: "apns-expiration", value: &expiration)
                case 16: AppleHeaders.take(field, name: "apns-collapse-id", value: &collapseID)
                default: true
                }
            if !isFirst { hasDuplicates = true }
        }
    }

    /// False if the value was already set.
    private static func take(_ field: HTTP2Headers.Field, name: StaticString, value: inout String?) -> Bool {
        guard field.isNamed(name) else { return true }
        defer { value = OutsideText.replacing(field.value) }
        return value == nil
    }
}
