import HTTP2
import JSONKit
import ServiceKit

/// A push to WNS with valid headers and a payload of its type.
struct WNSMessage: Sendable, Equatable {
    let task: String?

    private static let payloadBytesMaximum = 5_000
    private static let tagBytesMaximum = 16
    private static let badgeNames: Set = [
        "none", "activity", "alert", "alarm", "available", "away", "busy", "newMessage", "paused", "playing",
        "unavailable", "error", "attention",
    ]

    private enum Kind: String {
        case toast = "wns/toast"
        case tile = "wns/tile"
        case badge = "wns/badge"
        case raw = "wns/raw"

        /// Parameters such as a charset may follow.
        var contentType: String { self == .raw ? "application/octet-stream" : "text/xml" }
    }

    init(_ headers: HTTP2Headers, body: [UInt8]) throws(WNSError) {
        guard let kind = headers["x-wns-type"].flatMap(Kind.init) else { throw .badType }
        let contentType = headers["content-type"]?.prefix { $0 != ";" }.lowercased()
        guard contentType == kind.contentType else { throw .badContentType }
        guard headers["content-length"] == String(body.count) else { throw .missingLength }
        try WNSMessage.checkOptions(headers)
        if body.count > WNSMessage.payloadBytesMaximum { throw .payloadTooLarge }
        if kind == .raw {
            guard !body.isEmpty else { throw .badPayload }
            task = (try? JSON(body)).flatMap(TaskInPayload.id)
        } else {
            guard let root = try? XMLReader.root(of: body), WNSMessage.isPayload(root, of: kind) else {
                throw .badPayload
            }
            task = root.attributes["launch"].flatMap { try? JSON(Array($0.utf8)) }.flatMap(TaskInPayload.id)
        }
    }

    private static func checkOptions(_ headers: HTTP2Headers) throws(WNSError) {
        if let ttl = headers["x-wns-ttl"], UInt32(ttl).map({ $0 > 0 }) != true { throw .badTTL }
        for name in ["x-wns-tag", "x-wns-group"] {
            guard let tag = headers[name] else { continue }
            guard 1...tagBytesMaximum ~= tag.utf8.count, tag.utf8.allSatisfy(\.isASCIILetterOrDigit) else {
                throw .badTag
            }
        }
        if let policy = headers["x-wns-cache-policy"], !["cache", "no-cache"].contains(policy) {
            throw .badCachePolicy
        }
        if let status = headers["x-wns-requestforstatus"], !["true", "false"].contains(status) {
            throw .badRequestForStatus
        }
    }

    private static func isPayload(_ root: XMLElement, of kind: Kind) -> Bool {
        switch kind {
        case .raw: true
        case .toast: root.name == "toast" && hasTemplate(root)
        case .tile: root.name == "tile" && hasTemplate(root)
        case .badge:
            root.name == "badge"
                && root.attributes["value"].map { UInt32($0) != nil || badgeNames.contains($0) } == true
        }
    }

    private static func hasTemplate(_ root: XMLElement) -> Bool {
        root["visual"]?["binding"]?.attributes["template"]?.isEmpty == false
    }
}
