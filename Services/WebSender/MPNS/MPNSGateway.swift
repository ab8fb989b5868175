import HTTPClient
import ProviderKit
import PushModel
import ServiceKit
import Topics

/// Sends pushes to Windows Phone devices of one app: each to the address of its channel.
final class MPNSGateway: OriginGateway {
    private let configuration: MPNSConfiguration
    private let requests: OriginRequests
    let gate: OriginGate
    private let time: any TimeSource

    init(_ configuration: MPNSConfiguration, requests: OriginRequests, gate: OriginGate, time: any TimeSource) {
        self.configuration = configuration
        self.requests = requests
        self.gate = gate
        self.time = time
    }

    func send(_ pushes: [Push]) async -> [PushOutcome] {
        await gate.send(pushes) { pushes, origin in
            guard origin.isWithin(self.configuration.domains) else {
                return pushes.map { _ in .unsendable("ForeignHost") }
            }
            let now = self.time.now
            let form = MPNSRequest(addresses: self.configuration.traffic.addresses)
            return await self.requests.send(pushes.map { form.make($0) }) { MPNSAnswer.read($0, now: now) }
        }
    }
}
