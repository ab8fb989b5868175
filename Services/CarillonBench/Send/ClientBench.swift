/// Carillon's HTTP/2 client compared with h2load, in alternating rounds, so that other load affects both.
struct ClientBench {
    private struct Round {
        let bare: SendReading
        let ours: SendReading
        let simulatorCPUSeconds: Double
    }

    let target: SendTarget
    let shape: SendShape
    let requests: Int

    /// `name` is the prefix of the figures' names.
    func run(rounds count: Int, _ name: String) async throws -> [BenchFigure] {
        var rounds: [Round] = []
        for _ in 0..<count { rounds.append(try await round()) }
        let isReference = shape == .reference
        let name = isReference ? name : "\(name).\(shape.name)"
        return [
            BenchFigure(
                name: "\(name).rate", value: rounds.map(\.ours.rate).median, unit: "requests/s",
                ratio: rounds.map { $0.ours.rate / $0.bare.rate }.median),
            BenchFigure(
                name: "\(name).cpu_per_100k", value: rounds.map(\.ours.cpuSecondsPer100k).median,
                unit: "CPU-seconds", ratio: rounds.map { $0.ours.cpuSeconds / $0.bare.cpuSeconds }.median),
        ] + (isReference ? [simulatorFigure(rounds, name: name)] : [])
    }

    private func round() async throws -> Round {
        let before = try target.simulator.usage()
        let bare = try await H2Load.run(target.h2loadRequests, shape: shape, count: requests)
        let after = try target.simulator.usage()
        let ours = try await ClientLoad(target: target, shape: shape, requests: requests).run()
        return Round(bare: bare, ours: ours, simulatorCPUSeconds: after.cpuSeconds - before.cpuSeconds)
    }

    /// CPU time of the simulator for h2load's requests.
    private func simulatorFigure(_ rounds: [Round], name: String) -> BenchFigure {
        let cost = rounds.map(\.simulatorCPUSeconds).median / Double(requests) * 100_000
        return BenchFigure(name: "\(name).simulator_cpu_per_100k", value: cost, unit: "CPU-seconds")
    }
}
