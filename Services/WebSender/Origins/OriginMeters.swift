import PushModel
import ServiceKit
import Synchronization

/// The metrics of the servers that devices of one protocol name. The apps share them, and each counts its own failures: a
/// server that fails for two apps counts twice.
final class OriginMeters: Sendable {
    private let services: PushServiceList
    private let failing: Gauge
    private let failures: Counter
    private let recoveries: Counter
    private let failingServices: [PushServiceList.Entry: Gauge]
    /// Failing servers of all apps, by the service that they belong to.
    private let serversOfServices = Mutex<[PushServiceList.Entry: Int]>([:])

    /// Only `services` have metrics of their own: a label for every server would let devices add labels.
    init(_ metrics: Metrics, kind: PushProtocol, services: PushServiceList = .none) {
        self.services = services
        failing = metrics.gauge(.webServersFailing, labels: ["provider": kind.name])
        failures = metrics.counter(.webServerChanges, labels: ["provider": kind.name, "to": "failing"])
        recoveries = metrics.counter(.webServerChanges, labels: ["provider": kind.name, "to": "recovered"])
        let gauges = services.entries.map { entry in
            let labels: Metrics.Labels = ["provider": kind.name, "host": entry.description]
            return (entry, metrics.gauge(.webPushServicesFailing, labels: labels))
        }
        failingServices = Dictionary(gauges) { first, _ in first }
    }

    func noteChange(_ change: OriginWindow.Change) {
        switch change {
        case .failing: failures.increment()
        case .recovered: recoveries.increment()
        }
    }

    /// The service that a failure of the server concerns. Devices can name hosts of a listed domain that do not exist,
    /// so such a host is taken for the service's only if it has worked.
    func service(of origin: PushOrigin, hasWorked: Bool) -> PushServiceList.Entry? {
        guard let entry = services.entry(of: origin), hasWorked || !entry.isDomain else { return nil }
        return entry
    }

    func addFailing(_ service: PushServiceList.Entry?) {
        failing.add(1)
        if let service { add(1, of: service) }
    }

    func removeFailing(_ service: PushServiceList.Entry?) {
        failing.add(-1)
        if let service { add(-1, of: service) }
    }

    private func add(_ change: Int, of service: PushServiceList.Entry) {
        serversOfServices.withLock { servers in
            servers[service, default: 0] += change
            failingServices[service]?.set(servers[service, default: 0] > 0 ? 1 : 0)
        }
    }
}
