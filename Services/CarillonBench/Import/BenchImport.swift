import CommandKit

/// `carillon bench import`: the rate at which the subscribers of a pushd are taken over.
struct BenchImport: Command {
    static let declaration = CommandDeclaration(
        "import", purpose: "measure how fast the subscribers of a pushd are taken over",
        options: [.json, .devices],
        notes: """
            Starts its own redis-servers: one in pushd's layout, with five subscriptions a device, and Carillon's with
            durable writes. The comparison is redis-benchmark with pipelined HSETs on the latter. The program carillon
            must be in the same folder as this one, as `make build` places it.
            """)

    private let isJSON: Bool
    private let devices: Int

    init(_ arguments: CommandArguments) throws(UsageError) {
        isJSON = arguments.has(.json)
        devices = try arguments.integer(.devices, default: 200_000, in: 1_000...10_000_000)
    }

    func run(in context: CommandContext) async throws -> Int32 {
        context.terminal.note("an import of \(devices) subscribers")
        context.terminal.print(try await ImportBench(devices: devices).run(), isJSON: isJSON)
        return 0
    }
}
