import JSONKit

/// What no provider takes is refused before anything is made of it, so that rendering costs no more than what can be
/// sent, however large the request is.
enum ProviderBounds {
    /// The most that any provider takes of a whole payload.
    static let payloadBytesMaximum = 4_096
    /// What is larger is not written out only to tell its exact size.
    private static let measuredBytesMaximum = 16 * payloadBytesMaximum

    static func check(_ object: JSONObject, path: String) throws(RenderingError) {
        guard JSON.object(object).writtenBytesAtLeast(upTo: measuredBytesMaximum) > measuredBytesMaximum else { return }
        throw RenderingError(
            path,
            message:
                "has more than \(measuredBytesMaximum) bytes, and providers take \(payloadBytesMaximum); shorten it")
    }
}

extension JSON {
    /// No more than what the value takes when it is written without blanks. Stops soon after the bound is passed.
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

    /// Of parts and the brackets around them.
    private static func sum<Part>(_ parts: [Part], upTo bound: Int, size: (Part, Int) -> Int) -> Int {
        var bytes = 2
        for part in parts {
            guard bytes <= bound else { break }
            bytes += size(part, bytes)
        }
        return bytes
    }
}
