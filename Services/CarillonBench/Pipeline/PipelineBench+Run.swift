import CommandKit

extension PipelineBench {
    /// Starts its own pipeline, measures with it, and prints the figures.
    static func run(
        devices: Int, memory: String = "4GiB", variables: [String: String] = [:], isJSON: Bool,
        on terminal: any Terminal, _ measure: (PipelineBench) async throws -> [BenchFigure]
    ) async throws -> Int32 {
        let figures = try await withPipeline(
            devices: devices, memory: memory, variables: variables, on: terminal, measure)
        terminal.print(figures, isJSON: isJSON)
        return 0
    }

    /// Starts a pipeline, of another build if the folder of its programs is given, and stops it after the measure.
    static func withPipeline<Reading: Sendable>(
        devices: Int, memory: String = "4GiB", programs folder: String? = nil, variables: [String: String] = [:],
        on terminal: any Terminal, _ measure: (PipelineBench) async throws -> Reading
    ) async throws -> Reading {
        let harness = try await LocalHarness(memory: memory, programs: folder, variables: variables)
        let http = LocalHTTP()
        let bench = PipelineBench(devices: devices, harness: harness, http: http) { terminal.note($0) }
        let reading: Reading
        do {
            reading = try await measure(bench)
        } catch {
            await http.close()
            throw error
        }
        await http.close()
        return reading
    }
}
