import ServiceKit

extension TemporaryDirectory {
    /// Writes an executable shell script and returns its path. A process of its own writes it: a child that another
    /// test starts meanwhile would hold a copy of a descriptor of this process, and a file that is open for writing
    /// cannot be executed.
    package func writeScript(_ name: String, _ lines: String) async throws -> String {
        let text = write("\(name).txt", content: "#!/bin/sh\n\(lines)\n")
        let install = try ChildProcess("install", arguments: ["-m", "755", text, file(name)])
        let ending = await install.end()
        precondition(ending == .exited(0), "\(name) cannot be written: \(install.lines)")
        return file(name)
    }
}
