import PushModel
import ServiceKit
import Store

struct SimulatedProviderOutages: ProviderOutages {
    let base: any ProviderOutages
    let seam: Seam

    func read() async throws(StoreError) -> [ProviderRoute: Duration] {
        try await seam.call("outages.read") { try await base.read() }
    }

    func extend(_ route: ProviderRoute, by pauses: OutagePauses, jitter: Double, isProbe: Bool) async throws(StoreError)
        -> Duration
    {
        try await seam.call("outages.extend") {
            try await base.extend(route, by: pauses, jitter: jitter, isProbe: isProbe)
        }
    }

    func probe(_ route: ProviderRoute, for lease: Duration) async throws(StoreError) -> ProbeVerdict {
        try await seam.call("outages.probe") { try await base.probe(route, for: lease) }
    }

    func giveBackProbe(_ route: ProviderRoute) async throws(StoreError) {
        try await seam.call("outages.giveBackProbe") { try await base.giveBackProbe(route) }
    }

    func end(_ route: ProviderRoute) async throws(StoreError) {
        try await seam.call("outages.end") { try await base.end(route) }
    }

    func nominate(_ route: ProviderRoute, for lease: Duration) async throws(StoreError) -> Bool {
        try await seam.call("outages.nominate") { try await base.nominate(route, for: lease) }
    }
}
