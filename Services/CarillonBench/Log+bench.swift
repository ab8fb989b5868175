import CommandKit
import ServiceHost
import ServiceKit

extension Log {
    /// Errors of libraries inside the benchmark, on standard error.
    static let bench = Log(service: "bench", level: .error, sink: StandardErrorSink())
}
