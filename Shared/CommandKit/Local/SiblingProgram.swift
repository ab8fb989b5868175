import Glibc
package import ServiceKit

/// Another Carillon program: in the same folder as this one, or in that of another build.
package struct SiblingProgram: Sendable {
    package let path: String
    package let name: String

    package init(_ name: String, in folder: String? = nil) throws {
        let folder = folder ?? SiblingProgram.ownFolder
        self.name = name
        path = "\(folder)/\(name)"
        guard access(path, X_OK) == 0 else { throw MissingProgramError(name: name, folder: folder) }
    }

    private static var ownFolder: String {
        let resolved = realpath("/proc/self/exe", nil)
        defer { free(resolved) }
        let own = resolved.map { String(cString: $0) } ?? ""
        return own.lastIndex(of: "/").map { String(own[..<$0]) } ?? ""
    }

    /// It ends with this process, however that ends.
    package func start(_ arguments: [String], variables: [String: String] = [:]) throws -> ChildProcess {
        var options = ChildProcess.Options()
        options.diesWithParent = true
        return try ChildProcess(
            path, arguments: arguments, environment: EnvironmentReader.processEnvironment().merging(variables) { $1 },
            options: options)
    }
}

package struct MissingProgramError: Error, CustomStringConvertible {
    package let name: String
    package let folder: String
    package var description: String { "\(name) is not in \(folder): build everything with `make build`" }
}
