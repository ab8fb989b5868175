import TestSupport

/// The server behind the bus of a harness.
enum BusServer: Sendable {
    case redis(RedisServer)
    case kafka(KafkaMockServer)

    var url: String {
        switch self {
        case .redis(let server): server.url
        case .kafka(let server): server.url
        }
    }

    /// Sends a signal such as SIGSTOP or SIGCONT.
    func signal(_ number: Int32) {
        switch self {
        case .redis(let server): server.signal(number)
        case .kafka(let server): server.signal(number)
        }
    }
}
