import CommandKit
import ServiceKit

/// `carillon bench single`: what a push to one user costs, how many there can be, and how long they take.
struct BenchSingle: Command {
    static let declaration = CommandDeclaration(
        "single", purpose: "measure pushes to one user each, as fast as possible and at half load",
        options: [.json, .devices, .pushes, .seconds, .before],
        notes: """
            Starts its own carillon up with simulator; the programs must be in this program's folder, as `make build`
            places them. Each device belongs to a user. Tasks for one user each are posted over 32 connections, as fast
            as they are answered. The delivered rate is that from the first request to the last push that the simulator
            accepts; CPU is that of all programs until the last task is closed, the simulator included. Scripts and
            their time, with the commands inside, are what Redis counts; its log is not compacted meanwhile. What is
            kept is Redis' memory without the streams of the bus.

            Then a broadcast to all devices is sent for comparison, and tasks are posted at half and at four fifths of
            the delivered rate, for so many seconds each. Latencies are those of ten more pushes a second to a device of
            Huawei's, from the request to the receipt by the simulator. Memory is that at the end of the run at four
            fifths: --seconds 600 shows whether it grows. At last pushes to the same device are posted one after another
            during another broadcast.

            With --before, the pushes as fast as possible are then repeated with the programs of an older build, from
            its carillon to its simulator, in a pipeline of their own. The devices are registered over its API.
            single.cpu_before_ratio is the CPU for a push divided by the older build's, and
            single.delivered_before_ratio the delivered rate divided by its rate. Build both for release.
            """)

    private let isJSON: Bool
    private let devices: Int
    private let pushes: Int
    private let duration: Duration
    private let before: OlderBuild?

    init(_ arguments: CommandArguments) throws(UsageError) {
        isJSON = arguments.has(.json)
        devices = try arguments.integer(.devices, default: 200_000, in: 100...10_000_000)
        pushes = try arguments.integer(.pushes, default: 20_000, in: 100...10_000_000)
        duration = .seconds(try arguments.integer(.seconds, default: 30, in: 1...7_200))
        before = try arguments.olderBuild()
    }

    func run(in context: CommandContext) async throws -> Int32 {
        try await before?.requireStart()
        var (full, figures) = try await PipelineBench.withPipeline(devices: devices, on: context.terminal) {
            try await bench(of: $0).run()
        }
        if let before {
            let older = try await PipelineBench.withPipeline(
                devices: devices, programs: before.folder, on: context.terminal
            ) { try await bench(of: $0).runFullLoad() }
            figures += full.figures(comparedWith: older)
        }
        context.terminal.print(figures, isJSON: isJSON)
        return 0
    }

    private func bench(of pipeline: PipelineBench) -> SingleBench {
        SingleBench(pipeline: pipeline, pushes: pushes, duration: duration)
    }
}

extension CommandOption {
    fileprivate static let pushes = CommandOption(
        "--pushes", value: "N", meaning: "Number of pushes as fast as possible (default: 20000)")
    fileprivate static let seconds = CommandOption(
        "--seconds", value: "N", meaning: "Duration of the runs at a part of that rate (default: 30)")
    fileprivate static let before = CommandOption(
        "--before", value: "FOLDER", meaning: "Folder with the programs of an older build to compare with")
}

extension CommandArguments {
    fileprivate func olderBuild() throws(UsageError) -> OlderBuild? {
        guard let value = value(.before) else { return nil }
        return try OlderBuild(value, option: CommandOption.before.name)
    }
}
