import ServiceKit

/// `carillon bench hostile`: single pushes and a broadcast while a thousand clients attack the API.
struct BenchHostile: Command {
    static let declaration = CommandDeclaration(
        "bench hostile", purpose: "measures single pushes beside a broadcast while a thousand clients attack the API",
        options: [.json, .devices],
        notes: """
            Starts a carillon up with the simulator of its own; the programs must lie beside this one, as `make build`
            leaves them. ingest-api is given the bounds that it would give itself in a container of 256 MiB. Nine hundred
            clients keep connections busy with nothing: silent ones, headers and bodies that come byte by byte. A hundred
            send what is costly to read, as fast as it is answered: combining marks, deep and wide JSON, smuggled requests;
            half of them with a key. Each client has an address of its own, told by a proxy.

            hostile.push.p99 is the time from a request to the provider's receipt. hostile.restarts counts programs that
            ended meanwhile; hostile.memory_peak is ingest-api's.
            """)

    private let isJSON: Bool
    private let devices: Int

    init(_ arguments: CommandArguments) throws(UsageError) {
        isJSON = arguments.has(.json)
        devices = try arguments.integer(.devices, default: 1_000_000, in: 100...10_000_000)
    }

    func run(in context: CommandContext) async throws -> Int32 {
        let figures = try await HostileBench(devices: devices).run { context.terminal.complain($0 + " …") }
        if isJSON {
            for figure in figures { context.terminal.print(figure.json) }
        } else {
            context.terminal.print(BenchFigure.table(figures))
        }
        return 0
    }
}
