package import LocalTime
package import PushModel
package import ServiceKit
import Synchronization
package import TaskModel

/// Judges devices by local time and quiet hours.
package struct TimedJudges: DeviceJudges {
    private let catalog: TimeZoneCatalog
    /// Devices with a time zone that tzdata does not have.
    private let unknownZones: Counter

    package init(catalog: TimeZoneCatalog = TimeZoneCatalog(), metrics: Metrics) {
        self.catalog = catalog
        unknownZones = metrics.counter(.judgeTimeZonesUnknown)
    }

    package func judge(of task: TaskID, rules: DeliveryRules) -> (any DeviceJudge)? {
        rules.areTimed ? TimedJudge(rules, catalog: catalog, unknownZones: unknownZones) : nil
    }
}

/// The judgement depends on a device's time zone alone, and devices have few: each is judged once at a time.
private final class TimedJudge: DeviceJudge {
    private struct Verdict {
        let judgement: DeviceJudgement
        let isZoneUnknown: Bool
    }

    private struct Verdicts {
        var now: Timestamp?
        var byZone: [[UInt8]: Verdict] = [:]
    }

    private let rules: DeliveryRules
    private let catalog: TimeZoneCatalog
    private let unknownZones: Counter
    private let verdicts = Mutex(Verdicts())

    init(_ rules: DeliveryRules, catalog: TimeZoneCatalog, unknownZones: Counter) {
        self.rules = rules
        self.catalog = catalog
        self.unknownZones = unknownZones
    }

    func judgement(of record: ArraySlice<UInt8>, at index: DeviceIndex, now: Timestamp) -> DeviceJudgement {
        // An unreadable record is reported by the renderer.
        guard let zone = DeviceGlance(packed: record)?.timeZone else { return .send }
        let verdict = verdicts.withLock { verdicts in
            if verdicts.now != now { verdicts = Verdicts(now: now) }
            let key = Array(zone)
            if let known = verdicts.byZone[key] { return known }
            let verdict = self.verdict(zone: zone, now: now)
            verdicts.byZone[key] = verdict
            return verdict
        }
        if verdict.isZoneUnknown { unknownZones.increment() }
        return verdict.judgement
    }

    private func verdict(zone bytes: ArraySlice<UInt8>, now: Timestamp) -> Verdict {
        let own = bytes.isEmpty ? nil : OutsideText.string(Array(bytes)).flatMap { catalog.rules(named: $0) }
        let zone = own ?? catalog.rules(named: rules.timeZone) ?? .utc
        return Verdict(judgement: judgement(in: zone, now: now), isZoneUnknown: own == nil && !bytes.isEmpty)
    }

    private func judgement(in zone: TimeZoneRules, now: Timestamp) -> DeviceJudgement {
        if let due = rules.localTime.map({ zone.timestamp(of: $0) }) {
            if now < due { return .wait(.localTime, until: due) }
            if due + DeliveryRules.localLatenessMaximum < rules.accepted {
                return .suppress(reason: OutcomeReason.localTimePassed)
            }
        }
        guard let end = rules.quietHours?.release(at: now, in: zone) else { return .send }
        return rules.quietPolicy == .skip
            ? .suppress(reason: OutcomeReason.quietHours) : .wait(.quietHours, until: end)
    }
}
