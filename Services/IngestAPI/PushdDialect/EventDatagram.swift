import JSONKit
import PushModel
import ServiceKit

/// The content of a datagram in pushd's form: `POST /event/NAME?FIELDS` or `DELETE /event/NAME`.
struct EventDatagram: Sendable {
    enum Method: Sendable {
        case publish
        case purge
    }

    private static let methods: [(prefix: String, method: Method)] = [
        ("POST /event/", .publish), ("DELETE /event/", .purge),
    ]

    let method: Method
    let event: TopicName
    private let query: ArraySlice<UInt8>

    /// Nil for anything else. The fields are not read yet. pushd's names have no `@` here.
    init?(_ content: [UInt8]) {
        guard let known = EventDatagram.methods.first(where: { content.starts(with: $0.prefix.utf8) }) else {
            return nil
        }
        let target = content.dropFirst(known.prefix.utf8.count).prefix { $0 > UInt8(ascii: " ") }
        let name = target.prefix { $0 != UInt8(ascii: "?") }
        guard !name.contains(UInt8(ascii: "@")), let text = OutsideText.string(name),
            let event = try? PushdEvent.topic(text)
        else { return nil }
        method = known.method
        self.event = event
        query = target.dropFirst(name.count + 1)
    }

    var byteCount: Int { query.count + event.text.utf8.count }

    /// The fields of a form.
    func fields() throws(BodyError) -> JSONObject {
        try FormBody.decode(Array(query))
    }
}
