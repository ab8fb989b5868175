import Glibc
import ServiceKit

/// Another Carillon program in the same folder as this one.
struct SiblingProgram {
    let path: String
    private let name: String

    init(_ name: String) throws {
        let resolved = realpath("/proc/self/exe", nil)
        defer { free(resolved) }
        let own = resolved.map { String(cString: $0) } ?? ""
        let folder = own.lastIndex(of: "/").map { own[...$0] } ?? ""
        self.name = name
        path = folder + name
        guard access(path, X_OK) == 0 else { throw MissingProgramError(name: name, folder: String(folder)) }
    }

    func start(_ arguments: [String], variables: [String: String] = [:]) throws -> ChildProcess {
        try ChildProcess(
            path, arguments: arguments, environment: EnvironmentReader.processEnvironment().merging(variables) { $1 })
    }

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

struct MissingProgramError: Error, CustomStringConvertible {
    let name: String
    let folder: String
    var description: String { "\(name) is not in \(folder): build everything with `make build`" }
}
