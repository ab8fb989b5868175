import CommandKit

extension PipelineBench {
    /// Starts its own pipeline, measures with it, and prints the figures.
    static func run(
        devices: Int, isJSON: Bool, on terminal: any Terminal, _ measure: (PipelineBench) async throws -> [BenchFigure]
    ) async throws -> Int32 {
        let harness = try await LocalHarness(memory: "4GiB")
        let http = LocalHTTP()
        let bench = PipelineBench(devices: devices, harness: harness, http: http) { terminal.note($0) }
        let figures: [BenchFigure]
        do {
            figures = try await measure(bench)
        } catch {
            await http.close()
            throw error
        }
        await http.close()
        terminal.print(figures, isJSON: isJSON)
        return 0
    }
}
