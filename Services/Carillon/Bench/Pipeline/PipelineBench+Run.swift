extension PipelineBench {
    /// Starts a pipeline of its own, measures with it, and prints the figures.
    static func run(
        devices: Int, isJSON: Bool, on console: any Terminal, _ measure: (PipelineBench) async throws -> [BenchFigure]
    ) async throws -> Int32 {
        let house = try await LocalHarness(memory: "4GiB")
        let http = LocalHTTP()
        let bench = PipelineBench(devices: devices, house: house, http: http) { console.complain($0 + " …") }
        let figures: [BenchFigure]
        do {
            figures = try await measure(bench)
        } catch {
            await http.close()
            throw error
        }
        await http.close()
        if isJSON {
            for figure in figures { console.print(figure.json) }
        } else {
            console.print(BenchFigure.table(figures))
        }
        return 0
    }
}
