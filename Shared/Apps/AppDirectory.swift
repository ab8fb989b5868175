import PushModel
package import ServiceKit
import Synchronization

/// The current apps, reloaded when their folder changes. Thread-safe. A problem in the folder is logged once, counted,
/// and shown by `/readyz` without making the service unready: an error in one app must not stop the others.
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

    /// Returns after the first load of the folder.
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

    /// The current snapshot. A request uses one snapshot for all of its lookups.
    package var current: AppSnapshot { state.withLock { $0.snapshot } }

    /// The access of a caller. `peer` is the address of the connection.
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
            // Only this function changes the inventory, so the files are read without holding the lock.
            var inventory = state.withLock { $0.inventory }
            let changes = inventory.read()
            let problems = inventory.problems
            let reported = state.withLock { state in
                if !changes.isEmpty || !inventory.hasPepper(of: state.inventory)
                    || inventory.userTokenKeys != state.inventory.userTokenKeys
                    || inventory.webPushPublicKeys != state.inventory.webPushPublicKeys
                {
                    state.snapshot = AppSnapshot(
                        inventory.apps, pepper: inventory.pepper, userTokenKeys: inventory.userTokenKeys,
                        webPushPublicKeys: inventory.webPushPublicKeys)
                }
                defer { state.reported = problems }
                state.inventory = inventory
                return state.reported
            }
            report(changes, problems: problems, before: reported)
            appsLoaded.set(inventory.apps.count)
            filesBroken.set(inventory.brokenFiles)
            keyFilesUnusable.set(inventory.unusableKeyFiles)
        }
    }

    private func report(_ changes: [AppFileVersions.Change], problems: [AppProblem], before: [AppProblem]) {
        for change in changes {
            switch change {
            case .added(let app): log.info("app added", [.app: app.text])
            case .changed(let app): log.info("app changed", [.app: app.text])
            case .removed(let app): log.warning("app removed: file deleted", [.app: app.text])
            }
        }
        for problem in problems where !before.contains(problem) {
            switch problem.severity {
            case .error: log.error("invalid app file; keeping the last valid version", [.reason: problem.description])
            case .warning: log.warning("app file warning", [.reason: problem.description])
            }
        }
        for problem in before where !problems.contains(problem) {
            log.info("app file problem resolved", [.reason: problem.description])
        }
    }

    private var remark: String? {
        let problems = state.withLock { $0.reported }
        guard let first = problems.first else { return nil }
        return problems.count == 1 ? "\(first)" : "\(first); and \(problems.count - 1) more"
    }
}
