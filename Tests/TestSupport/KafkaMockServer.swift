import ServiceKit

/// Mock Kafka brokers in a separate process, which ends when the last reference is released.
package final class KafkaMockServer: Sendable {
    private let process: ChildProcess
    /// `host:port,…`
    package let bootstrap: String

    package init(brokers: Int = 3) async throws {
        process = try ChildProcess(builtExecutable("KafkaMock"), arguments: ["\(brokers)"])
        guard let line = await process.line(where: { $0.hasPrefix("bootstrap ") }) else {
            throw KafkaMockError("the pretended brokers did not start: \(process.lines)")
        }
        bootstrap = String(line.dropFirst("bootstrap ".count))
    }

    package var url: String { "kafka://\(bootstrap)" }

    /// Sends a signal such as SIGSTOP or SIGCONT.
    package func signal(_ number: Int32) {
        process.signal(number)
    }

    /// Sends a command and waits until the mock has executed it.
    package func perform(_ command: String) async throws {
        let first = process.lines.count
        process.send(command)
        let answer = await process.line(from: first) { $0 == "ok \(command)" || $0.hasPrefix("error \(command)") }
        guard answer?.hasPrefix("ok ") == true else { throw KafkaMockError(answer ?? "no answer to \(command)") }
    }
}

package struct KafkaMockError: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
