import CommandKit
import PushModel
import ServiceKit
import TLSSocket

/// Browsers at many push services, of which some are dead: how much of their rate the living ones keep.
struct DeadOriginsBench {
    static let deadMaximum = 50
    static let servicesMinimum = 10
    /// Each has one browser: nothing in the bench brings back a push that is held up behind another.
    let services: Int

    func run(rounds count: Int, in context: CommandContext) async throws -> BenchFigure {
        let service = try LocalPushService()
        // Connections to it are established by the kernel, and nothing ever answers.
        let silent = try TCPListener(address: "127.0.0.1", port: 0)
        let refusing = try DeadOriginsBench.closedPort()
        let browsers = try LocalBrowsers()
        var ratios: [Double] = []
        for _ in 0..<count {
            let all = try await rate(browsers, service: service, context: context) { _ in nil }
            let living = try await rate(browsers, service: service, context: context) { number in
                number.isMultiple(of: 2) ? silent.port : refusing
            }
            ratios.append(living / all)
        }
        await service.stop()
        return BenchFigure(name: "send.webpush.dead_origins.ratio", value: ratios.median, unit: "of the rate")
    }

    /// Deliveries per second to the living services; `deadPort` is where the dead service of that number is said to be,
    /// and nil if it lives.
    private func rate(
        _ browsers: LocalBrowsers, service: LocalPushService, context: CommandContext,
        deadPort: @escaping @Sendable (Int) -> UInt16?
    ) async throws -> Double {
        let address: @Sendable (Int) -> (text: String, isAlive: Bool) = { browser in
            let host = "o\(browser).push.localhost"
            if let number = deadNumber(browser), let port = deadPort(number) {
                return ("https://\(host):\(port)/push/\(browser)", false)
            }
            return (service.http1Address(browser, host: host), true)
        }
        let living = (0..<services).count { address($0).isAlive }
        let bench = ServiceBench(content: browsers.content { address($0).text }, requests: services, delivered: living)
        return try await bench.run(in: context) { try browsers.sender(service, app: $0, bus: $1) }.sending.rate
    }

    /// The dead ones are spread over all.
    private func deadNumber(_ service: Int) -> Int? {
        let dead = min(DeadOriginsBench.deadMaximum, services / 2)
        let distance = services / dead
        let number = service / distance
        return service.isMultiple(of: distance) && number < dead ? number : nil
    }

    /// Connections to it are refused, as long as no other program takes it.
    private static func closedPort() throws -> UInt16 {
        try TCPListener(address: "127.0.0.1", port: 0).port
    }
}
