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

    func send(_ pushes: [Push], to origin: PushOrigin) async -> [PushOutcome] {
        guard origin.isWithin(configuration.domains) else { return pushes.map { _ in .unsendable("ForeignHost") } }
        let now = time.now
        let form = MPNSRequest(addresses: configuration.traffic.addresses)
        return await requests.send(pushes.map { form.make($0) }) { MPNSAnswer.read($0, now: now) }
    }
}
