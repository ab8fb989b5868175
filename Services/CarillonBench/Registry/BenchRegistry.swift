import CommandKit
import PushModel
import RedisClient
import RedisStore
import ServiceKit
import Store

/// `carillon bench registry`: memory of devices in Redis, and the rates of registering, reading and settling them.
struct BenchRegistry: Command {
    static let declaration = CommandDeclaration(
        "registry", purpose: "measure memory and speed of the registry and the ledger",
        options: [.json, .devices],
        notes: """
            Starts its own redis-servers and ingest-api. The comparisons are pushd's layout of the same devices,
            redis-benchmark and a bare loop. The programs BareLoops and ingest-api must be in the same folder as this
            one, as `make build` places them. 200,000 devices take about two minutes.
            """)

    private let isJSON: Bool
    private let devices: Int

    init(_ arguments: CommandArguments) throws(UsageError) {
        isJSON = arguments.has(.json)
        devices = try arguments.integer(.devices, default: 200_000, in: 1_000...10_000_000)
    }

    func run(in context: CommandContext) async throws -> Int32 {
        func say(_ text: String) { context.terminal.note(text) }
        var figures: [BenchFigure] = []
        say("\(devices) devices in pushd's layout")
        let pushd = try await PushdBench(devices: devices).run()
        say("\(devices) devices in Carillon's layout")
        let registry = try await RegistryBench(devices: devices).run(pushdBytesPerDevice: pushd.value)
        figures += registry + [pushd]
        say("a rebuild of \(devices) devices")
        figures += try await RebuildBench(devices: devices).run()
        say("the ledger")
        figures += try await LedgerBench().run()
        say("statistics")
        figures += try await StatisticsBench().run()
        say("registering over HTTP")
        figures += try await RegistrationBench(devices: min(devices, 50_000)).run()
        context.terminal.print(figures, isJSON: isJSON)
        return 0
    }
}
