/// Requests that cost a careless parser far more than their sender.
struct HostileRequests {
    private static let marks = "\u{301}\u{323}"

    /// Each request with head and body, for a client address given in a proxy header.
    let all: [@Sendable (_ address: String) -> [UInt8]]

    init(key: String) {
        let marks = HostileRequests.marks
        let json = "Content-Type: application/json\r\n"
        let withKey = json + "Authorization: Bearer \(key)\r\n"
        let message = #""message":{"title":"x"}"#
        let bodies = [
            #"{"users":["u"],"message":{"title":"\#(String(repeating: marks, count: 100_000))"}}"#,
            #"{"\#(String(repeating: marks, count: 20_000))":1,\#(message)}"#,
            #"{"users":[\#(String(repeating: "0,", count: 1 << 20))0],\#(message)}"#,
            String(repeating: "[", count: 200_000),
            #"{"users":["u"],"payloads":{"android":{"data":\#(HostileRequests.nested(depth: 20, width: 10_000))}}}"#,
            "{" + (0..<50_000).map { #""n\#($0)":0"# }.joined(separator: ",") + "}",
        ].map { Array($0.utf8) }
        let posts = ["/v1/tasks", "/push/v2/admin/task"].flatMap { path in
            bodies.map { body in
                { @Sendable (address: String) in
                    HostileRequests.post(path, fields: withKey, address: address, body: body)
                }
            }
        }
        let large = [UInt8](repeating: UInt8(ascii: " "), count: 1 << 20)
        all =
            posts + [
                { HostileRequests.post("/subscribers", fields: json, address: $0, body: large) },
                {
                    HostileRequests.get(
                        "Authorization: Bearer \(String(repeating: marks, count: 3_500))\r\n", address: $0)
                },
                { HostileRequests.get("Content-Length:\r\n 60\r\n", address: $0) },
                { HostileRequests.get("Transfer-Encoding: chunked\r\nContent-Length: 4\r\n", address: $0) },
            ]
    }

    private static func nested(depth: Int, width: Int) -> String {
        let inner = (0..<width).map { #""k\#($0)":"v""# }.joined(separator: ",")
        return (0..<depth).reduce("{\(inner)}") { text, _ in #"{"\#(String(repeating: "p", count: 200))":\#(text)}"# }
    }

    private static func get(_ fields: String, address: String) -> [UInt8] {
        Array("GET /v1/tasks HTTP/1.1\r\nHost: bench\r\nX-Forwarded-For: \(address)\r\n\(fields)\r\n".utf8)
    }

    private static func post(_ path: String, fields: String, address: String, body: [UInt8]) -> [UInt8] {
        let head = """
            POST \(path) HTTP/1.1\r\nHost: bench\r\nX-Forwarded-For: \(address)\r\n\(fields)Content-Length: \
            \(body.count)\r\n\r\n
            """
        return Array(head.utf8) + body
    }
}
