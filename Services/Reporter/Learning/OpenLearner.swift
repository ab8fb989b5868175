import Bus
import LocalTime
import PushModel
import ServiceKit
import Store
import TaskKit
import TaskModel
import Topics

/// Learns at which hours users open pushes, from the opens and deliveries of tasks with a window. What counts is the
/// hour at which a task was sent, by the clock of the device that opened a push last. Without opens a user has no record,
/// so most deliveries only find that out.
///
/// It is a hint: what a process that dies had counted and not learnt is not learnt later, and a delivery that is counted
/// after its open may count twice.
struct OpenLearner: Sendable {
    private let opens: any UserOpens
    private let registry: any Registry
    /// Of an app's devices whose time zone is unknown.
    private let fallbackZone: @Sendable (AppID) -> String
    private let catalog: TimeZoneCatalog
    private let log: Log
    private let learntOpens: Counter
    private let learntDeliveries: Counter

    init(
        _ opens: any UserOpens, registry: any Registry, fallbackZone: @escaping @Sendable (AppID) -> String,
        catalog: TimeZoneCatalog = TimeZoneCatalog(), environment: WorkerEnvironment
    ) {
        self.opens = opens
        self.registry = registry
        self.fallbackZone = fallbackZone
        self.catalog = catalog
        log = environment.log
        learntOpens = environment.metrics.counter(.reporterLearntOpens)
        learntDeliveries = environment.metrics.counter(.reporterLearntDeliveries)
    }

    /// A task of the campaign, sent at this time, was opened for the first time. Its user is that of the device, which
    /// its trace knows and it does not.
    func noteOpen(on device: DeviceID, in app: AppID, campaign: String, sent: Timestamp) async throws {
        guard let device = try await registry.device(device, in: app)?.device else { return }
        let name = device.aliases[.externalUser]
        guard let user = name.flatMap({ try? Alias(.externalUser, value: $0) }) else { return }
        let (zone, rules) = clock(of: device, in: app)
        let hour = UInt8(rules.hour(at: sent).number)
        let digest = CampaignDigest(of: campaign)
        let isLearnt = try await update(UserKey(user, of: app)) { record in
            var next = record ?? OpenRecord(zone: zone)
            next.noteOpen(of: digest, hour: hour, in: zone)
            record = next
        }
        if isLearnt { learntOpens.increment() }
    }

    /// A task of the campaign was delivered to a device of the user at least.
    func noteDelivery(to user: UserKey, campaign: String, sent: Timestamp) async throws {
        let digest = CampaignDigest(of: campaign)
        let isLearnt = try await update(user) { [catalog] record in
            guard let zone = record?.zone else { return }
            let hour = (catalog.rules(named: zone) ?? .utc).hour(at: sent).number
            record?.noteDelivery(of: digest, hour: UInt8(hour))
        }
        if isLearnt { learntDeliveries.increment() }
    }

    /// A name that tzdata does not have never enters a record.
    private func clock(of device: Device, in app: AppID) -> (zone: String, rules: TimeZoneRules) {
        for zone in [device.timeZone, fallbackZone(app)].compactMap({ $0 }) {
            if let rules = catalog.rules(named: zone) { return (zone, rules) }
        }
        return (DeliveryRules.fallbackZone, .utc)
    }

    /// A full store is tolerated: tasks must still be closed, and receipts counted.
    private func update(
        _ user: UserKey, _ change: @Sendable (inout OpenRecord?) -> Void
    ) async throws(StoreError) -> Bool {
        do throws(StoreError) {
            return try await opens.update(user, change)
        } catch {
            guard error.code == .full else { throw error }
            log.warning("opens not learnt", [.app: user.app.text, .error: "\(error)"])
            return false
        }
    }
}
