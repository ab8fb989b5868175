package import Bus
package import ServiceKit
package import Store

/// The parts of a process that change the registry through the log and apply the log to the store.
package struct RegistryLog: Sendable {
    package let journal: LoggedJournal
    package let projector: RegistryProjector
    private let opening: RegistryOpening

    package init(
        bus: any Bus, environment: WorkerEnvironment, projection: any RegistryProjection,
        maintenance: any RegistryMaintenance, options: LoggedJournal.Options = .init()
    ) async throws(BusError) {
        journal = LoggedJournal(
            producer: try await bus.makeProducer(ProducerOptions(patience: options.patience)), projection: projection,
            environment: environment, options: options)
        projector = RegistryProjector(projection)
        opening = RegistryOpening(bus: bus, maintenance: maintenance, environment: environment)
    }

    /// Returns the services in start order; services that commit changes start after them. `worker` makes a worker of
    /// the projector, as `ServiceContext.worker` does.
    package func services(worker: (ConsumerOptions, RegistryProjector) -> any Service) -> [any Service] {
        [opening, worker(RegistryProjector.consumer, projector), journal]
    }
}
