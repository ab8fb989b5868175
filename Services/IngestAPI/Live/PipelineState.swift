import Bus
import PushModel
import ServiceKit
import Store
import TaskKit
import Topics

/// The state of the pipeline behind this service: what waits before each stage and what it has handled, outages of
/// providers, servers that the app's pushes wait for, and the store's memory. The bus is asked at most once in two
/// seconds, whatever the number of readers.
actor PipelineState {
    private static let interval = Duration.seconds(2)

    private let outages: OutageView
    private let servers: FailingServerView
    private let bus: any Bus
    private let room: StoreRoom
    private let time: any TimeSource
    private var lastRead: Duration?
    /// Nil while the bus does not answer.
    private var progress: [BusReader: GroupProgress]?

    init(outages: OutageView, servers: FailingServerView, bus: any Bus, room: StoreRoom, time: any TimeSource) {
        self.outages = outages
        self.servers = servers
        self.bus = bus
        self.room = room
        self.time = time
    }

    /// JSON texts, as an app is shown them.
    struct View: Sendable {
        let providers: String
        let servers: String
        let stages: String
        let store: String
    }

    func view(for app: AppID) async -> View {
        let outages = await outages.outages().filter { $0.key.app.owner == app }
        let servers = await servers.servers(of: app).sorted { $0.key < $1.key }
        await readProgress()
        return View(
            providers: "[\(outages.map(PipelineState.text).sorted().joined(separator: ","))]",
            servers: "[\(servers.map { PipelineState.text(server: $0.key, left: $0.value) }.joined(separator: ","))]",
            stages: stages,
            store: JSONText.object { json in
                json.member("memory_percent", room.percentUsed())
                json.member("is_full", room.isFull(for: .accepting))
            })
    }

    private func readProgress() async {
        let now = time.uptime
        if let lastRead, now - lastRead < PipelineState.interval { return }
        lastRead = now
        progress = try? await bus.progress(of: GroupLag.readers)
    }

    private var stages: String {
        guard let progress else { return "null" }
        let stages = GroupLag.readers.compactMap { reader -> String? in
            guard let progress = progress[reader] else { return nil }
            return JSONText.object { json in
                json.member("topic", reader.channel.name)
                json.member("group", reader.group)
                json.member("waiting", progress.waiting)
                json.member("handled", json: progress.handled.map { "\($0)" } ?? "null")
            }
        }
        return "[\(stages.joined(separator: ","))]"
    }

    private static func text(server: String, left: Duration) -> String {
        JSONText.object { json in
            json.member("server", server)
            json.member("state", "failing")
            json.member("seconds", Int((max(.zero, left).wholeMilliseconds + 999) / 1_000))
        }
    }

    private static func text(_ route: ProviderRoute, left: Duration) -> String {
        JSONText.object { json in
            json.member("provider", route.provider.name)
            json.member("state", "paused")
            json.member("seconds", Int(left.wholeMilliseconds / 1_000))
        }
    }
}
