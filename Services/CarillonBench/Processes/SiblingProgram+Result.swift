import CommandKit
import ServiceKit

extension SiblingProgram {
    /// Runs the program to its end and parses the result line that it prints.
    func result(_ arguments: [String], variables: [String: String] = [:]) async throws -> LoadResult {
        let process = try start(arguments, variables: variables)
        guard let line = await process.line(within: .seconds(300), where: { $0.hasPrefix("{\"seconds\"") }),
            let result = LoadResult(line: line)
        else { throw BenchError("\(name) printed no result: \(process.lines.last ?? "no output")") }
        _ = await process.end()
        return result
    }
}
