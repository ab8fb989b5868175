import Bus
import ServiceKit

/// The parts of a service: built once the bus is available, drained in reverse order; then the bus is closed.
struct Application: Service {
    let name = "application"
    private let context: ServiceContext
    private let drainDeadline: Duration
    private let build: @Sendable (ServiceContext) async throws -> [any Service]
    private let stopRequested = OneTimeEvent()

    init(
        _ context: ServiceContext, drainDeadline: Duration,
        build: @escaping @Sendable (ServiceContext) async throws -> [any Service]
    ) {
        self.context = context
        self.drainDeadline = drainDeadline
        self.build = build
    }

    func run() async throws {
        guard let services = try await builtOrStopped() else { return await context.bus.close() }
        let environment = context.environment
        environment.health.endStart()
        environment.log.info("running")
        let group = ServiceGroup(services, log: environment.log, time: environment.time)
        let end = try await group.run(drainingWithin: drainDeadline) { await stopRequested.wait() }
        await context.bus.close()
        if case .cutOff(let names) = end { throw DrainDeadlineError(names: names) }
    }

    func stop() {
        stopRequested.happen()
    }

    /// Nil if the stop was requested while the service still waited for a dependency.
    private func builtOrStopped() async throws -> [any Service]? {
        try await withThrowingTaskGroup(of: [any Service]?.self) { tasks in
            tasks.addTask { try await build(context) }
            tasks.addTask {
                await stopRequested.wait()
                return nil
            }
            defer { tasks.cancelAll() }
            do {
                return try await tasks.next() ?? nil
            } catch is CancellationError {
                return nil
            }
        }
    }
}

/// These services had not finished when the drain deadline passed.
struct DrainDeadlineError: Error, CustomStringConvertible {
    let names: [String]
    var description: String { "drain deadline exceeded: \(names.joined(separator: ", "))" }
}
