import Apps
import PushModel
import ServiceKit
import Store

/// Sweeps the channels of all apps each minute, and counts those at Apple each ten minutes.
actor ChannelSweeper: Service {
    private struct Place: Hashable {
        let app: AppID
        let environment: Device.Environment
    }

    private static let sweepInterval = Duration.seconds(60)
    private static let countInterval = Duration.seconds(600)

    nonisolated let name = "channels"
    private let apps: @Sendable () -> [PushApp]
    private let sweep: @Sendable (APNsCredentials, AppID) -> ChannelSweep
    /// True if channels that no activity has are deleted.
    private let deletesUnknown: Bool
    private let environment: (time: any TimeSource, log: Log)
    private let known: Gauge
    private let unknown: Gauge
    private let most: Gauge
    private let stopped = OneTimeEvent()
    private var counts: [Place: ChannelSweep.Count] = [:]
    private var countedAt: Duration?

    init(
        of apps: @escaping @Sendable () -> [PushApp], deletesUnknown: Bool, time: any TimeSource, log: Log,
        metrics: Metrics, sweep: @escaping @Sendable (APNsCredentials, AppID) -> ChannelSweep
    ) {
        self.apps = apps
        self.sweep = sweep
        self.deletesUnknown = deletesUnknown
        environment = (time, log)
        known = metrics.gauge(.senderChannels, labels: ["kind": "known"])
        unknown = metrics.gauge(.senderChannels, labels: ["kind": "unknown"])
        most = metrics.gauge(.senderChannelsOfAppMax)
    }

    func run() async {
        while await !stopped.wait(atMost: ChannelSweeper.sweepInterval, time: environment.time), !Task.isCancelled {
            let now = environment.time.uptime
            let isCount = countedAt.map { now - $0 >= ChannelSweeper.countInterval } ?? true
            if isCount { countedAt = now }
            await sweepOnce(isCount: isCount)
        }
    }

    nonisolated func stop() {
        stopped.happen()
    }

    func sweepOnce(isCount: Bool) async {
        for app in apps() {
            guard let credentials = app.providers.apns else { continue }
            do {
                try await perform(sweep(credentials, app.id), of: app.id, isCount: isCount)
            } catch {
                environment.log.warning(
                    "channels not swept; retrying in a minute", [.app: app.id.text, .error: "\(error)"])
            }
        }
        let current = Set(apps().map(\.id))
        counts = counts.filter { current.contains($0.key.app) }
        known.set(counts.values.reduce(0) { $0 + $1.known })
        unknown.set(counts.values.reduce(0) { $0 + $1.unknown.count })
        most.set(counts.values.map { $0.known + $0.unknown.count }.max() ?? 0)
    }

    private func perform(_ sweep: ChannelSweep, of app: AppID, isCount: Bool) async throws {
        guard try await sweep.mayHaveChannels() else { return }
        let deleted = try await sweep.deleteEnded()
        if deleted > 0 {
            environment.log.info("channels of ended activities deleted", [.app: app.text, .count: "\(deleted)"])
        }
        guard isCount else { return }
        for environment in Device.Environment.allCases {
            try await count(sweep, at: Place(app: app, environment: environment))
        }
    }

    private func count(_ sweep: ChannelSweep, at place: Place) async throws {
        guard var count = try await sweep.count(in: place.environment) else { return }
        let seen = Set(counts[place]?.unknown ?? [])
        if count.unknown.contains(where: { !seen.contains($0) }) {
            try await sweep.adopt(Set(count.unknown), in: place.environment)
            count = try await sweep.count(in: place.environment) ?? count
        }
        for id in count.unknown where !seen.contains(id) {
            environment.log.warning(
                "a channel at Apple belongs to no activity",
                [.app: place.app.text, .environment: place.environment.rawValue, .channel: id])
        }
        if deletesUnknown {
            for id in count.unknown where seen.contains(id) {
                if try await sweep.delete(unknown: id, in: place.environment) { count.unknown.removeAll { $0 == id } }
            }
        }
        counts[place] = count
    }
}
