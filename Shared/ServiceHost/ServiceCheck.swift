package import Bus
import Glibc
import ServiceKit

/// What a service does instead of running when it is called with `--check`: it asks another system whether settings are
/// accepted, and prints the answer as one line.
package struct ServiceCheck<Configuration: Sendable>: Sendable {
    package typealias Answer = @Sendable (CheckRequest, Configuration) async throws -> String

    /// The placeholders of the words that must follow.
    let operands: [String]
    private let answer: Answer

    package init(_ operands: [String], answer: @escaping Answer) {
        self.operands = operands
        self.answer = answer
    }

    /// Nil if the command line does not ask for it.
    func words(of arguments: [String]) -> [String]? {
        guard arguments.count == 2 + operands.count, arguments[1] == ServiceCheckOption.name else { return nil }
        return Array(arguments[2...])
    }

    /// Prints the answer and ends the process.
    func run(_ request: CheckRequest, configuration: Configuration, service: String) async -> Never {
        do {
            print(try await answer(request, configuration))
            exit(0)
        } catch {
            StandardError.print("\(service): \(error)")
            exit(ExitCode.failure)
        }
    }
}

enum ServiceCheckOption {
    static let name = "--check"
}

package struct CheckRequest: Sendable {
    package let words: [String]
    package let environment: WorkerEnvironment

    init(words: [String], service: String) {
        self.words = words
        // Standard output is reserved for the answer.
        let log = Log(service: service, level: .error, sink: StandardErrorSink())
        let time = SystemTimeSource()
        environment = WorkerEnvironment(
            time: time, random: SystemRandomSource(), log: log, metrics: Metrics(), health: Health(time: time))
    }
}
