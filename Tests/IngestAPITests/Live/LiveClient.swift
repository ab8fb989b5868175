import JSONKit
import TestSupport

/// A client of `/v1/live`.
struct LiveClient {
    struct Event: Sendable {
        let name: String
        let data: JSON
    }

    private let client: RawClient
    private var rest: [UInt8] = []

    init(_ fixture: IngestFixture, path: String = "/v1/live", headers: [String: String]) async {
        let fields = headers.map { "\($0): \($1)\r\n" }.joined()
        let port = fixture.port
        client = await blocking {
            let client = RawClient(port: port)
            client.send("GET \(path) HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\(fields)\r\n")
            return client
        }
    }

    /// Nil when the server has ended the stream.
    mutating func next() async -> Event? {
        while true {
            if let event = takeEvent() { return event }
            let client = client
            guard let bytes = await blocking({ client.receive() }), !bytes.isEmpty else { return nil }
            rest += bytes
        }
    }

    /// The next event of this name.
    mutating func next(_ name: String) async -> JSON? {
        while let event = await next() {
            if event.name == name { return event.data }
        }
        return nil
    }

    /// Blocks without an event, such as keep-alives, are passed over; so are the lines of the chunked encoding.
    private mutating func takeEvent() -> Event? {
        while let end = rest.firstRange(of: Array("\n\n".utf8)) {
            let block = String(decoding: rest[..<end.lowerBound], as: UTF8.self)
            rest.removeSubrange(..<end.upperBound)
            var name: String?
            var data: JSON?
            for line in block.split(whereSeparator: \.isNewline) {
                if line.hasPrefix("event: ") { name = String(line.dropFirst(7)) }
                if line.hasPrefix("data: ") { data = try? JSON(Array(line.dropFirst(6).utf8)) }
            }
            if let name, let data { return Event(name: name, data: data) }
        }
        return nil
    }
}
