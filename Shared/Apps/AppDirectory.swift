import PushModel
package import ServiceKit
import Synchronization

/// The apps, kept in step with their folder. Requests ask it at any time from anywhere; what is wrong in the folder is
/// logged once, counted, and shown by `/readyz`, without making the service unready: one app's mistake is no reason to
/// send nobody any work.
package final class AppDirectory: Service {
    private struct State {
        var inventory: AppInventory
        var snapshot = AppSnapshot([], pepper: nil)
        var reported: [AppProblem] = []
    }

    package let name = "apps"
    private let configuration: AppsConfiguration
    private let log: Log
    private let time: any TimeSource
    private let pulse: Pulse
    private let appsLoaded: Gauge
    private let filesBroken: Gauge
    private let keyFilesUnusable: Gauge
    private let state: Mutex<State>
    private let stopRequested = OneTimeEvent()

    /// Returns once the folder was read.
    package static func open(
        _ configuration: AppsConfiguration, log: Log, metrics: Metrics, health: Health, time: any TimeSource
    ) async -> AppDirectory {
        let directory = AppDirectory(configuration, log: log, metrics: metrics, health: health, time: time)
        await directory.reload()
        return directory
    }

    private init(
        _ configuration: AppsConfiguration, log: Log, metrics: Metrics, health: Health, time: any TimeSource
    ) {
        self.configuration = configuration
        self.log = log
        self.time = time
        appsLoaded = metrics.gauge(.appsLoaded)
        filesBroken = metrics.gauge(.appFilesBroken)
        keyFilesUnusable = metrics.gauge(.appKeyFilesUnusable)
        state = Mutex(State(inventory: AppInventory(configuration)))
        pulse = health.pulse("apps", limit: .seconds(30))
        pulse.rest()
        health.addRemark("apps") { [weak self] in self?.remark }
    }

    /// As it is now; a request that asks several questions takes one snapshot for all of them.
    package var current: AppSnapshot { state.withLock { $0.snapshot } }

    /// What a caller may touch. `peer` is the address that the connection came from.
    package func access(presented: String?, peer: String) -> Access {
        current.access(presented: presented, peer: peer, now: time.now)
    }

    package func run() async {
        while await !stopRequested.wait(atMost: configuration.interval, time: time) {
            pulse.tick()
            await reload()
            pulse.rest()
        }
    }

    package func stop() {
        stopRequested.happen()
    }

    private func reload() async {
        await onNativeThread("apps") { [self] in
            // Only this one changes the inventory, so it is read without holding up those who ask for the snapshot.
            var inventory = state.withLock { $0.inventory }
            let changes = inventory.read()
            let reported = state.withLock { state in
                if !changes.isEmpty || !inventory.hasPepper(of: state.inventory) {
                    state.snapshot = AppSnapshot(inventory.apps, pepper: inventory.pepper)
                }
                defer { state.reported = inventory.problems }
                state.inventory = inventory
                return state.reported
            }
            report(changes, problems: inventory.problems, before: reported)
            appsLoaded.set(inventory.apps.count)
            filesBroken.set(inventory.brokenFiles)
            keyFilesUnusable.set(inventory.unusableKeyFiles)
        }
    }

    private func report(_ changes: [AppShelf.Change], problems: [AppProblem], before: [AppProblem]) {
        for change in changes {
            switch change {
            case .added(let app): log.info("app added", [.app: app.text])
            case .changed(let app): log.info("app changed", [.app: app.text])
            case .removed(let app): log.warning("app removed: its file is gone", [.app: app.text])
            }
        }
        for problem in problems where !before.contains(problem) {
            switch problem.severity {
            case .error: log.error("wrong; what was good before stays in force", [.reason: problem.description])
            case .warning: log.warning("needs mending", [.reason: problem.description])
            }
        }
        for problem in before where !problems.contains(problem) {
            log.info("mended", [.reason: problem.description])
        }
    }

    private var remark: String? {
        let problems = state.withLock { $0.reported }
        guard let first = problems.first else { return nil }
        return problems.count == 1 ? "\(first)" : "\(first); and \(problems.count - 1) more"
    }
}
