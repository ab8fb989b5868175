import JSONKit
import ServiceKit
import TestSupport

/// A completed benchmark run in a process of its own.
struct BenchRun {
    let ending: ChildProcess.Ending?
    let lines: [String]

    init(_ words: [String], variables: [String: String] = [:]) async throws {
        let environment = EnvironmentReader.processEnvironment().merging(variables) { $1 }
        let process = try ChildProcess(
            builtExecutable("carillon"), arguments: ["bench"] + words, environment: environment)
        // Beside a dozen other tests it may take several minutes.
        await process.line(within: .seconds(400)) { _ in false }
        ending = await process.end()
        lines = process.lines
    }

    /// The figures by name.
    func figures() throws -> [String: JSON] {
        let figures = try lines.filter { $0.hasPrefix("{") }.map { try JSON($0) }
        return Dictionary(figures.map { ($0["name"]?.text ?? "", $0) }) { first, _ in first }
    }
}

extension JSON {
    var isPositive: Bool {
        switch self {
        case .number(let number): number > 0
        case .integer(let number): number > 0
        default: false
        }
    }
}
