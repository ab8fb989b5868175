import CommandKit
import ServiceKit

/// `carillon bench hostile`: single pushes and a broadcast while a thousand clients attack the API.
struct BenchHostile: Command {
    static let declaration = CommandDeclaration(
        "hostile", purpose: "measure single pushes during a broadcast while a thousand clients attack the API",
        options: [.json, .devices],
        notes: """
            Starts its own carillon up with simulator; the programs must be in this program's folder, as `make build`
            places them. ingest-api gets the limits that it would use in a container of 256 MiB. Nine hundred
            clients hold slow connections: idle ones, and headers and bodies sent byte by byte. A hundred clients send
            requests that are expensive to parse, as fast as they are answered: combining marks, deep and wide JSON,
            request smuggling; half of them with a key. Each client has its own address, set by a proxy header.

            hostile.push.p99 is the time from a request to its receipt by the provider. hostile.restarts counts programs
            that exited during the run; hostile.memory_peak is that of ingest-api.
            """)

    private let isJSON: Bool
    private let devices: Int

    init(_ arguments: CommandArguments) throws(UsageError) {
        isJSON = arguments.has(.json)
        devices = try arguments.audience()
    }

    func run(in context: CommandContext) async throws -> Int32 {
        let figures = try await HostileBench(devices: devices).run { context.terminal.note($0) }
        context.terminal.print(figures, isJSON: isJSON)
        return 0
    }
}
