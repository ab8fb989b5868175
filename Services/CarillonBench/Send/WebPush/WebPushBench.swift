import CommandKit
import PushModel
import ServiceKit

/// The web sender with browsers of one push service, compared with pywebpush at the same service.
struct WebPushBench {
    private struct Round {
        let ours: SendReading
        let bare: SendReading
    }

    private static let name = "send.webpush.service"
    let requests: Int
    let python: PyWebPush

    func run(rounds count: Int, in context: CommandContext) async throws -> [BenchFigure] {
        let service = try LocalPushService()
        let browsers = try LocalBrowsers()
        var rounds: [Round] = []
        for _ in 0..<count { rounds.append(try await round(browsers, service: service, context: context)) }
        await service.stop()
        let cpu = rounds.map(\.ours.cpuSecondsPer100k).median
        return [
            BenchFigure(name: "\(WebPushBench.name).rate", value: rounds.map(\.ours.rate).median, unit: "pushes/s"),
            BenchFigure(name: "\(WebPushBench.name).cpu_per_100k", value: cpu, unit: "CPU-seconds"),
            BenchFigure(name: "send.webpush.pywebpush.rate", value: rounds.map(\.bare.rate).median, unit: "pushes/s"),
            BenchFigure(
                name: "send.webpush.pywebpush.ratio", value: rounds.map { $0.ours.rate / $0.bare.rate }.median,
                unit: "times pywebpush"),
        ]
    }

    private func round(
        _ browsers: LocalBrowsers, service: LocalPushService, context: CommandContext
    ) async throws -> Round {
        let bench = ServiceBench(content: browsers.content { service.http2Address($0) }, requests: requests)
        let ours = try await bench.run(in: context) { try browsers.sender(service, app: $0, bus: $1) }
        let bare = try await python.run(
            browsers, address: service.http1Address(1), authorityFile: service.authorityFile,
            requests: min(max(requests / 50, 200), 2_000))
        return Round(ours: ours.sending, bare: bare)
    }
}
