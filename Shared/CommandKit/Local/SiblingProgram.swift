import Glibc
package import ServiceKit

/// Another Carillon program in the same folder as this one.
package struct SiblingProgram {
    package let path: String
    package let name: String

    package init(_ name: String) throws {
        let resolved = realpath("/proc/self/exe", nil)
        defer { free(resolved) }
        let own = resolved.map { String(cString: $0) } ?? ""
        let folder = own.lastIndex(of: "/").map { own[...$0] } ?? ""
        self.name = name
        path = folder + name
        guard access(path, X_OK) == 0 else { throw MissingProgramError(name: name, folder: String(folder)) }
    }

    package func start(_ arguments: [String], variables: [String: String] = [:]) throws -> ChildProcess {
        try ChildProcess(
            path, arguments: arguments, environment: EnvironmentReader.processEnvironment().merging(variables) { $1 })
    }
}

package struct MissingProgramError: Error, CustomStringConvertible {
    package let name: String
    package let folder: String
    package var description: String { "\(name) is not in \(folder): build everything with `make build`" }
}
