import HTTP2
import JSONKit

/// A push to MPNS with valid headers and a payload of its kind.
struct MPNSMessage: Sendable, Equatable {
    let task: String?

    private static let payloadBytesMaximum = 5_000
    private static let namespace = "WPNotification"
    /// Added to the number of a kind for later delivery: within 450 and 900 seconds.
    private static let delays = [0, 10, 20]

    private enum Kind {
        case tile
        case toast
        case raw

        init(target: String?) throws(MPNSError) {
            switch target {
            case "token": self = .tile
            case "toast": self = .toast
            case nil: self = .raw
            default: throw .badTarget
            }
        }

        var number: Int {
            switch self {
            case .tile: 1
            case .toast: 2
            case .raw: 3
            }
        }
    }

    init(_ headers: HTTP2Headers, body: [UInt8]) throws(MPNSError) {
        let kind = try Kind(target: headers["x-windowsphone-target"])
        let classes = MPNSMessage.delays.map { String(kind.number + $0) }
        guard let number = headers["x-notificationclass"], classes.contains(number) else { throw .badClass }
        if body.count > MPNSMessage.payloadBytesMaximum { throw .payloadTooLarge }
        if kind == .raw {
            guard !body.isEmpty else { throw .badPayload }
            task = (try? JSON(body)).flatMap(TaskInPayload.id)
            return
        }
        guard headers["content-type"]?.prefix(while: { $0 != ";" }).lowercased() == "text/xml" else {
            throw .badContentType
        }
        guard let root = try? XMLReader.root(of: body) else { throw .badPayload }
        task = try MPNSMessage.task(in: root, of: kind)
    }

    /// The parameter of a toast is a path with a query, in which the task may be.
    private static func task(in root: XMLElement, of kind: Kind) throws(MPNSError) -> String? {
        guard root.name == "wp:Notification", root.attributes["xmlns:wp"] == namespace else { throw .badPayload }
        if kind == .tile {
            guard root["wp:Tile"] != nil else { throw .badPayload }
            return nil
        }
        guard let toast = root["wp:Toast"], toast["wp:Text1"] != nil || toast["wp:Text2"] != nil else {
            throw .badPayload
        }
        guard let query = toast["wp:Param"]?.text.utf8.drop(while: { $0 != UInt8(ascii: "?") }).dropFirst() else {
            return nil
        }
        return FormFields(Array(query))["task_id"]
    }
}
