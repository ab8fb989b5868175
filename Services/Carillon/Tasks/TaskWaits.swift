import CommandKit
import JSONKit

/// Why the devices of a task wait, with the next time and what changes it.
struct TaskWaits: Sendable {
    struct Cause: Sendable, Equatable {
        let what: String
        let cure: String
    }

    let causes: [Cause]

    init(_ status: ReportedTask, id: String, access: APIAccess) {
        guard !status.isOver else {
            causes = []
            return
        }
        let cancel = access.command("tasks cancel \(id)")
        if status.state == .scheduled {
            let time = status.document["send_at"]?.text ?? "its time"
            causes = [
                Cause(what: "the whole task waits until \(time)", cure: "it is sent by itself; to drop it: \(cancel)")
            ]
            return
        }
        var causes: [Cause] = []
        if !status.isResolved {
            let parts = status.jobs == 0 ? "not begun" : "\(status.jobsResolved) of \(status.jobs) parts are done"
            causes.append(
                Cause(what: "its devices are being selected: \(parts)", cure: "if that stops, see targeting-resolver"))
        }
        causes += TaskWaits.deferrals(status)
        let retried = status.document["waiting"]?.count("retry") ?? 0
        if retried > 0 {
            let devices = CountText.of(retried, noun: "device")
            causes.append(
                Cause(
                    what: "\(devices): the provider could not take the push yet; it is retried",
                    cure: "each attempt waits longer, until the device's time to live is over; to stop: \(cancel)"))
        }
        let working = status.targeted - status.ended - retried - status.deferred
        if status.isResolved, working > 0 {
            causes.append(
                Cause(
                    what: "\(CountText.of(working, noun: "device")): rendered or sent now",
                    cure: "if the number stays, a sender or its provider stands still"))
        }
        self.causes = causes
    }

    private static func deferrals(_ status: ReportedTask) -> [Cause] {
        let cures = [
            "local_time": "the task has send_at_local; without that it is sent at once",
            "quiet_hours": "to reach devices in their quiet hours, post it with --quiet-hours ignore",
            "rate": "raise --rate, the rate of its group or limits.devices_per_second of the app for later tasks",
            "cap": "post it with --cap ignore, or raise limits.pushes_per_device of the app",
        ]
        return cures.keys.sorted().compactMap { name in
            guard let wait = status.document["waiting"]?[name], let count = wait.count("devices"), count > 0,
                let cure = cures[name]
            else { return nil }
            let cause = name.split(separator: "_").joined(separator: " ")
            let next = wait["next"]?.text.map { ", the first until \($0)" } ?? ""
            return Cause(what: "\(CountText.of(count, noun: "device")): \(cause)\(next)", cure: cure)
        }
    }

    /// Empty if nothing waits. `remarks` are what programs of the pipeline say of themselves.
    func text(remarks: [String]) -> String {
        guard !causes.isEmpty else { return "" }
        let lines = causes.flatMap { ["  \($0.what)", "      \($0.cure)"] } + remarks.map { "  \($0)" }
        return "\nwhy it waits:\n\n\(lines.joined(separator: "\n"))\n"
    }
}

extension ReportedTask {
    /// Devices that were not tried yet, since something makes them wait.
    fileprivate var deferred: Int {
        (document["waiting"]?.object?.members ?? []).reduce(0) { $0 + ($1.value.count("devices") ?? 0) }
    }
}
