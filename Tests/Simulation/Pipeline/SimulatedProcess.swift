import Bus
import ServiceKit
import Synchronization
import Topics

/// One incarnation of a service: the services that its program would run, and a seam of its own to everything else.
final class SimulatedProcess: Sendable {
    /// How long the bus waits for a member that died.
    static let sessionTimeout = Duration.seconds(10)

    let role: Role
    let seam: Seam
    /// After which the process manager kills a process that was asked to stop.
    private static let drainLimit = Duration.seconds(30)

    private let work = Mutex<Task<Void, Never>?>(nil)
    private let running = Mutex<[any Service]>([])
    private let api = Mutex<Publisher?>(nil)

    init(_ role: Role, seam: Seam) {
        self.role = role
        self.seam = seam
    }

    /// Nil unless it is an API that has started.
    var publisher: Publisher? { api.withLock { $0 } }

    /// Also restarts what ends with an error, as a process manager would.
    func start() {
        let task = Task {
            while !seam.gate.isDead {
                do {
                    let services = try await services(PipelineParts(seam))
                    running.withLock { $0 = services }
                    try await run(services)
                    return
                } catch {
                    seam.world.trace.note(seam.world.loop.milliseconds, event: "\(seam.name) failed: \(error)")
                    try? await seam.clock.sleep(for: .seconds(1))
                }
            }
        }
        work.withLock { $0 = task }
    }

    private func services(_ parts: PipelineParts) async throws -> [any Service] {
        let services = try await role.services(parts)
        guard role == .ingest else { return services }
        let publisher = try await Publisher(parts)
        api.withLock { $0 = publisher }
        return services + [publisher.releasedTasks]
    }

    private func run(_ services: [any Service]) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for service in services { group.addTask { try await service.run() } }
            try await group.waitForAll()
        }
    }

    /// As with SIGTERM: everything that was begun is finished. False if that took too long, and it was killed.
    func stop() async -> Bool {
        for service in running.withLock({ $0 }).reversed() { service.stop() }
        let work = work.withLock { $0 }
        let ended = OneTimeEvent()
        Task {
            await work?.value
            ended.happen()
        }
        let limit = SimulatedProcess.drainLimit
        let hasEnded = await ended.wait(atMost: limit, time: ProcessClock(seam.world.loop))
        if !hasEnded { kill() }
        return hasEnded
    }

    /// As with SIGKILL. The bus expels the process after a while.
    func kill() {
        seam.gate.kill()
        api.withLock { $0 = nil }
        work.withLock { $0 }?.cancel()
        Task {
            try? await seam.world.loop.sleep(until: seam.world.loop.uptime + SimulatedProcess.sessionTimeout)
            await expel()
        }
    }

    func forget() {
        seam.consumers.withLock { $0 = [] }
        running.withLock { $0 = [] }
        work.withLock { $0 = nil }
    }

    func expel() async {
        for consumer in seam.consumers.withLock({ $0 }) { await consumer.expel() }
    }
}
