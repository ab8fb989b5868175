import HTTP2
import JSONKit

/// A change to the connections of a provider.
struct ConnectionChange: Sendable, Equatable {
    /// Sends GOAWAY on each connection after this many requests; zero for never.
    var goodbyeAfter: Int?
    var saysGoodbye = false
    var drops = false
    var isFrozen: Bool?
    var streamsMaximum: Int?
    var streamWindow: Int?

    private static let streamWindowDefault = 64 << 10

    init(fields: JSONFields) {
        goodbyeAfter = fields.integer("goodbye_after", in: 0...Int(Int32.max))
        saysGoodbye = fields.bool("goodbye") ?? false
        drops = fields.bool("drop") ?? false
        isFrozen = fields.bool("frozen")
        streamsMaximum = fields.integer("streams_max", in: 0...Int(Int32.max))
        streamWindow = fields.integer("stream_window", in: 1...Int(Int32.max))
        if streamWindow != nil && streamsMaximum == nil {
            fields.reject("stream_window", message: "expected only with streams_max")
        }
    }

    func apply(to server: HTTP2Server) {
        if let goodbyeAfter { server.sayGoodbye(afterRequests: goodbyeAfter == 0 ? nil : goodbyeAfter) }
        if let streamsMaximum {
            server.changeSettings(
                streamsMaximum: streamsMaximum, streamWindow: streamWindow ?? ConnectionChange.streamWindowDefault)
        }
        if saysGoodbye { server.sayGoodbye() }
        if drops { server.dropConnections() }
        if let isFrozen { server.freeze(isFrozen) }
    }
}
