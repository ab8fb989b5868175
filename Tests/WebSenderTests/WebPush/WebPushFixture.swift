import Bus
import HTTPClient
import MemoryStore
import ProviderKit
import PushModel
import ServiceKit
import Signing
import TestSupport
import Topics

@testable import Apps
@testable import WebSender

/// The gateway as the service makes it, for push services on loopback.
final class WebPushFixture: Sendable {
    let authority: TestAuthority
    let key: VAPIDKey
    let gateway: any PushGateway
    private let provider: WebPushProvider

    /// `services` are those with connections of their own.
    init(
        _ authority: TestAuthority, services: String = "", time: any TimeSource = SystemTimeSource(),
        adjust: (inout WebPushConfiguration) -> Void = { _ in }
    ) throws {
        self.authority = authority
        key = try VAPIDKey.generated()
        var configuration = WebPushConfiguration()
        configuration.traffic.authorityFile = authority.authorityFile
        configuration.traffic.addresses = AddressPolicy(allowed: [try AddressRange("127.0.0.0/8")])
        guard let list = PushServiceList(services) else { throw SetupError(description: services) }
        configuration.services = list
        adjust(&configuration)
        let environment = WorkerEnvironment(
            time: time, random: SystemRandomSource(), log: quietLog, metrics: Metrics(), health: Health(time: time))
        provider = WebPushProvider(
            configuration, failingServers: MemoryFailingServers(time: environment.time), environment: environment)
        gateway = provider.gateway(
            WebPushFixture.credentials, content: Array(try key.privateKeyText().reveal().utf8), of: try AppID("news"))
    }

    static let credentials = WebPushCredentials(
        keyFile: KeyFile(field: "providers.webpush.key_file", path: "keys/webpush.pem"),
        contact: "mailto:push@example.com")

    /// A gateway of the same provider with another key, or with what is none.
    func gateway(content: [UInt8]?) throws -> any PushGateway {
        provider.gateway(WebPushFixture.credentials, content: content, of: try AppID("shop"))
    }

    /// Admits and sends all of them.
    func send(_ pushes: [Push]) async -> [PushOutcome] {
        guard case .admitted(let count) = await gateway.admit(pushes.count, lane: .fast), count == pushes.count else {
            return []
        }
        return await gateway.send(pushes)
    }

    /// Sends until each was tried, as the pipeline does with pushes that a server's window holds back.
    func deliver(_ pushes: [Push]) async -> [PushOutcome] {
        var outcomes = await send(pushes)
        while case let held = outcomes.indices.filter({ outcomes[$0].pause != nil }), !held.isEmpty {
            for (position, outcome) in zip(held, await send(held.map { pushes[$0] })) { outcomes[position] = outcome }
        }
        return outcomes
    }

    func end() async {
        await provider.close()
    }
}
