import Glibc
import JSONKit
import ServiceKit
import TestSupport
import Testing

/// A simulator that plays Apple for a pipeline which has a simulator of its own: that one does not know its key.
struct PlayedApple {
    let process: ChildProcess
    /// Settings that lead to it.
    let variables: [String: String]
    private let facts: JSON

    init(in folder: TemporaryDirectory) async throws {
        mkdir(folder.file("apple"), 0o755)
        let environment = EnvironmentReader.processEnvironment().merging([
            "CARILLON_SIMULATOR_FOLDER": folder.file("apple"), "CARILLON_SIMULATOR_ADMIN_PORT": "0",
        ]) { $1 }
        process = try ChildProcess(builtExecutable("provider-simulator"), environment: environment)
        let line = await process.line(within: .hangLimit) { $0.hasPrefix("{\"ready\":true") }
        facts = try JSON(try #require(line, "\(process.lines)"))
        variables = [
            "CARILLON_APNS_HOST": try #require(facts["host"]?.text),
            "CARILLON_APNS_PORT": try #require(facts["apns"]?["port"]?.compactText),
            "CARILLON_APNS_CA_FILE": try #require(facts["ca_file"]?.text),
        ]
    }

    /// A value that it announces, such as `key_file`.
    func value(_ field: String) throws -> String {
        try #require(facts["apns"]?[field]?.text)
    }

    /// Pushes that it has delivered.
    func delivered() async throws -> Int {
        let shell = try ChildProcess.shell("curl -sS \(try #require(facts["admin"]?.text))/stats", in: "/tmp")
        #expect(await shell.end(within: .hangLimit) == .exited(0))
        let stats = try JSON(shell.lines.joined())
        return Int(try #require(stats["apns"]?["accepted"]?.compactText, "\(shell.lines)")) ?? -1
    }

    func end() async {
        process.signal(SIGTERM)
        #expect(await process.end(within: .hangLimit) == .exited(0))
    }
}
