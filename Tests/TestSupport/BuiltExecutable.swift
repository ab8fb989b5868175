import Glibc

/// Returns the path of an executable in the folder into which the test run built its executables.
package func builtExecutable(_ name: String) -> String {
    let arguments = CommandLine.arguments
    // `swift test` runs a bundle inside the build folder; the executables are next to it.
    for argument in arguments where argument.contains("/.build/") {
        let components = argument.split(separator: "/", omittingEmptySubsequences: false)
        for end in stride(from: components.count - 1, through: 1, by: -1) {
            let candidate = components[..<end].joined(separator: "/") + "/" + name
            if access(candidate, X_OK) == 0 { return candidate }
        }
    }
    preconditionFailure("\(name) is not built; run `swift build` first")
}
