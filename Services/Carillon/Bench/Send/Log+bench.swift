import ServiceKit

extension Log {
    /// For libraries that run inside the benchmark: what is wrong, on standard error.
    static let bench = Log(service: "bench", level: .error, sink: StandardErrorSink())
}
