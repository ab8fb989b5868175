import JSONKit
import PushModel

/// The limits of providers. Refuses content over the limit of Apple, Google and Huawei before it is rendered, so that
/// the cost of rendering does not grow with the size of the request.
enum ProviderBounds {
    /// What Apple, Google and Huawei accept, and the most that the data of any push may be.
    static let payloadBytesMaximum = 4_096
    /// Larger content is not encoded just to report its exact size.
    private static let measuredBytesMaximum = 16 * payloadBytesMaximum

    static func payloadBytesMaximum(of kind: PushProtocol) -> Int {
        switch kind {
        case .apns, .liveActivity, .channel, .fcm, .huawei: payloadBytesMaximum
        case .webpush: WebPushMessage.bytesMaximum
        case .wns, .mpns: WindowsMessage.bytesMaximum
        case .http: HTTPMessage.bytesMaximum
        }
    }

    /// `bytesMaximum` is the provider's limit, which the error names.
    static func check(
        _ object: JSONObject, path: String, bytesMaximum: Int = payloadBytesMaximum
    ) throws(RenderingError) {
        guard JSON.object(object).writtenBytesAtLeast(upTo: measuredBytesMaximum) > measuredBytesMaximum else { return }
        throw RenderingError(
            path,
            message: "too long: more than \(measuredBytesMaximum) bytes; at most \(bytesMaximum)")
    }
}

extension JSON {
    /// A lower bound of the encoded size without whitespace. Stops soon after the bound is exceeded.
    func writtenBytesAtLeast(upTo bound: Int) -> Int {
        switch self {
        case .string(let text): return text.utf8.count + 2
        case .null, .bool, .integer, .unsigned, .number: return 1
        case .array(let elements):
            return JSON.sum(elements, upTo: bound) { 1 + $0.writtenBytesAtLeast(upTo: bound - $1) }
        case .object(let object):
            return JSON.sum(object.members, upTo: bound) {
                $0.name.utf8.count + 4 + $0.value.writtenBytesAtLeast(upTo: bound - $1)
            }
        }
    }

    /// Size of parts and the brackets around them.
    private static func sum<Part>(_ parts: [Part], upTo bound: Int, size: (Part, Int) -> Int) -> Int {
        var bytes = 2
        for part in parts {
            guard bytes <= bound else { break }
            bytes += size(part, bytes)
        }
        return bytes
    }
}
