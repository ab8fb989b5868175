import Apps
import PushModel
import ServiceKit

/// Sweeps the Live Activities of all apps while the service runs.
struct ActivityKeeper: Service {
    private static let interval = Duration.seconds(300)

    let name = "activity keeper"
    private let sweep: ActivitySweep
    private let apps: @Sendable () -> [AppID]
    private let log: Log
    private let time: any TimeSource
    private let stopped = OneTimeEvent()

    init(_ sweep: ActivitySweep, apps: @escaping @Sendable () -> [AppID], log: Log, time: any TimeSource) {
        self.sweep = sweep
        self.apps = apps
        self.log = log
        self.time = time
    }

    func run() async {
        while await !stopped.wait(atMost: ActivityKeeper.interval, time: time) {
            for app in apps() {
                guard !stopped.hasHappened else { return }
                await perform(app)
            }
        }
    }

    func stop() {
        stopped.happen()
    }

    private func perform(_ app: AppID) async {
        do {
            let report = try await sweep.perform(in: app)
            guard report != ActivitySweep.Report() else { return }
            log.info(
                "Live Activities swept",
                [.app: app.text, .count: "\(report.forgotten)", .reason: "\(report.ended) ended after 8 hours"])
        } catch {
            log.warning("Live Activities not swept; retrying", [.app: app.text, .error: "\(error)"])
        }
    }
}
