import CommandKit
import ServiceHost
import ServiceKit
import TestSupport
import Testing

@testable import Carillon

/// Which bus a command opens.
@Suite struct BusChoiceTests {
    private let terminal = RecordedTerminal()
    private let home = TemporaryDirectory("bus-choice")
    private let data: DataFolder

    init() throws {
        data = try DataFolder(making: home.file("data"))
        home.write("data/up.json", content: #"{"url":"http://127.0.0.1:9","redis":"redis://127.0.0.1:19"}"#)
    }

    private func address(_ words: String..., variables: [String: String] = [:]) throws -> String {
        let context = CommandContext(terminal: terminal, variables: variables)
        let arguments = try CommandArguments(words, options: [.bus, .data])
        return try context.choosingBus(arguments).settings().bus.address
    }

    @Test func theDataFolderOfARunningPipelineNamesItsBus() async throws {
        let lock = try await DataLock(data, time: SystemTimeSource())
        #expect(try address("--data", data.path).contains("127.0.0.1:19"))
        withExtendedLifetime(lock) {}
    }

    @Test func theOptionGoesBeforeTheVariable() throws {
        let variables = ["CARILLON_BUS": "redis://127.0.0.1:29"]
        #expect(try address(variables: variables).contains("127.0.0.1:29"))
        #expect(try address("--bus", "redis://127.0.0.1:39", variables: variables).contains("127.0.0.1:39"))
    }

    @Test func noPipelineInTheNamedFolderIsAnError() {
        #expect(throws: UpError("no carillon up is running in \(data.path)")) { try address("--data", data.path) }
    }

    @Test(arguments: ["CARILLON_BUS", "CARILLON_REDIS"])
    func aVariableBesideTheDataFolderIsAnError(name: String) {
        #expect(throws: UsageError.self) {
            try address("--data", data.path, variables: [name: "redis://127.0.0.1:29"])
        }
    }

    @Test func theBusAndTheDataFolderExcludeEachOther() {
        #expect(throws: UsageError("--bus and --data each name a bus; omit one of them")) {
            try address("--data", data.path, "--bus", "redis://127.0.0.1:29")
        }
    }
}
