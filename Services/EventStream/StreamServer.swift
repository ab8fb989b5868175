import Apps
import HTTPServer
import ServiceKit

/// The public port. It opens when the log has been read, so that clients do not meet an instance that cannot resume
/// their streams; and when the service stops, it ends all streams at once.
struct StreamServer: Service {
    private static let tick = Duration.seconds(1)

    let name = "public server"
    private let server: HTTPServer
    private let hub: EventHub
    private let apps: AppDirectory
    private let drainSpread: Duration
    private let time: any TimeSource
    private let stopRequested = OneTimeEvent()

    init(_ server: HTTPServer, hub: EventHub, apps: AppDirectory, drainSpread: Duration, time: any TimeSource) {
        self.server = server
        self.hub = hub
        self.apps = apps
        self.drainSpread = drainSpread
        self.time = time
    }

    func run() async throws {
        await hub.becameCurrent.wait()
        guard !stopRequested.hasHappened else { return }
        try server.start()
        while await !stopRequested.wait(atMost: StreamServer.tick, time: time) { hub.tick(apps.current) }
        // The port closes first: a client that opens its stream again finds another instance.
        async let stopped: Void = server.stop()
        hub.drain(spreadingOver: drainSpread)
        await stopped
    }

    func stop() {
        stopRequested.happen()
        hub.becameCurrent.happen()
    }
}
