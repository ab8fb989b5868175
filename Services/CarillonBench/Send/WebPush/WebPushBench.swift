import CommandKit
import PushModel
import ServiceKit

/// The web sender with browsers of one push service, compared with pywebpush at the same service.
struct WebPushBench {
    let requests: Int
    let python: PyWebPush

    func run(in context: CommandContext) async throws -> [BenchFigure] {
        let service = try LocalPushService()
        let browsers = try LocalBrowsers()
        let bench = ServiceBench(content: browsers.content { service.address($0) }, requests: requests)
        let ours = try await bench.run(in: context) { try browsers.sender(service, app: $0, bus: $1) }
        let bare = try await python.run(
            browsers, address: service.address(1), authorityFile: service.authorityFile,
            requests: min(max(requests / 50, 200), 2_000))
        await service.stop()
        return ours.figures("send.webpush.service") + [
            BenchFigure(name: "send.webpush.pywebpush.rate", value: bare.rate, unit: "pushes/s"),
            BenchFigure(
                name: "send.webpush.pywebpush.ratio", value: ours.sending.rate / bare.rate, unit: "times pywebpush"),
        ]
    }
}
