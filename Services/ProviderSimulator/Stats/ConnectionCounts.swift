/// Counts the requests of the newest thousand connections; connections are numbered as they are opened.
struct ConnectionCounts {
    static let connectionsMaximum = 1_000

    private(set) var requests: [Int: Int] = [:]
    /// Connections seen in total.
    private(set) var total = 0
    private var oldest = 1

    mutating func count(on connection: Int) {
        if requests[connection, default: 0] == 0 {
            // Its first request may come after one of a connection that was opened later.
            guard connection >= oldest else { return }
            total += 1
        }
        requests[connection, default: 0] += 1
        while requests.count > ConnectionCounts.connectionsMaximum {
            requests[oldest] = nil
            oldest += 1
        }
    }
}
