import HTTPServer
import PushModel
import ServiceKit

/// What `GET /subscribe` asks for.
struct SubscribeRequest {
    static let namesMaximum = 64
    static let queryBytesMaximum = 8 << 10
    private static let mediaType = "text/event-stream"

    /// Each once, in the order of the request.
    let names: [TopicName]
    /// Nil for a client that comes for the first time. A nil position is one that cannot be read.
    let resuming: StreamPosition??

    init(_ request: HTTPRequest) throws(SubscribeError) {
        guard SubscribeRequest.accepts(request) else { throw .notAcceptable }
        guard request.query.utf8.count <= SubscribeRequest.queryBytesMaximum else { throw .queryTooLong }
        guard let items = request.queryItems else {
            throw .invalid("The query cannot be decoded; encode its values with percent signs.")
        }
        func value(_ name: String) -> String? { items.first { $0.name == name }?.value }
        names = try SubscribeRequest.names(value("events"))
        // A browser's EventSource keeps the URL it was made with, and tells in the header what came since.
        let id = request.headers["Last-Event-ID"].flatMap { $0.isEmpty ? nil : $0 } ?? value("last_event_id")
        resuming = id.map { StreamPosition($0) }
    }

    /// The type itself, as every EventSource sends it: `*/*` is what programs send that expect something else.
    private static func accepts(_ request: HTTPRequest) -> Bool {
        request.headers.values("Accept").contains { value in
            value.split(separator: ",").contains { range in
                let type = range.split(separator: ";", omittingEmptySubsequences: false)[0]
                return type.filter { $0 != " " && $0 != "\t" }.lowercased() == mediaType
            }
        }
    }

    private static func names(_ text: String?) throws(SubscribeError) -> [TopicName] {
        guard let text, !text.isEmpty else { throw .invalid("The query has no events; add events=TOPIC+TOPIC.") }
        var names: [TopicName] = []
        for part in text.split(separator: " ") {
            guard let name = try? TopicName(String(part)) else {
                throw .invalid("A topic in events is invalid: expected \(TopicName.rule).")
            }
            if !names.contains(name) { names.append(name) }
            guard names.count <= namesMaximum else {
                throw .invalid("The query has more than \(namesMaximum) events.")
            }
        }
        guard !names.isEmpty else { throw .invalid("The query has no events; add events=TOPIC+TOPIC.") }
        return names
    }
}
