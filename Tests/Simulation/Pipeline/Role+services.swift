import Apps
import Bus
import HTTPClient
import ProviderKit
import PushModel
import ServiceKit
import Store
import TaskKit
import Topics

@testable import APNsSender
@testable import Renderer
@testable import Reporter
@testable import Scheduler
@testable import TargetingResolver

extension Role {
    /// What the program of the service builds, over the parts of the simulation.
    func services(_ parts: PipelineParts) async throws -> [any Service] {
        guard parts.world.loses else { return try await ownServices(parts) }
        let distrusts = [Role.ingest, .scheduler, .reporter].contains(self)
        let watch = SimulatedWitnessWatch(
            witness: parts.witness, over: distrusts ? parts.registry : nil, time: parts.seam.clock)
        return [watch] + (try await ownServices(parts))
    }

    private func ownServices(_ parts: PipelineParts) async throws -> [any Service] {
        switch self {
        case .ingest: []
        case .resolver: try await resolver(parts)
        case .renderer: try await renderer(parts)
        case .apple: try await sender(parts, of: .apple)
        case .android: try await sender(parts, of: .android)
        case .web: try await sender(parts, of: .web)
        case .scheduler: try await scheduler(parts)
        case .reporter: try await reporter(parts)
        }
    }

    private func resolver(_ parts: PipelineParts) async throws -> [any Service] {
        let stores = ResolverStores(
            registry: parts.registry, ledger: parts.ledger, archive: parts.archive, agenda: parts.agenda,
            outages: parts.outages, retries: parts.retries, pacing: parts.pacing)
        let resolver = ResolverParts(
            tasks: stores, jobs: stores, judges: TimedJudges(metrics: parts.environment.metrics),
            events: try await parts.producer(patience: EventPublisher.patience), window: 4,
            environment: parts.environment)
        let group = TargetingResolver.group
        return [
            try await parts.worker(ResolverParts.jobs(group: group), handler: resolver.jobs),
            try await parts.worker(ResolverParts.lists(group: group), handler: resolver.lists),
            try await parts.worker(
                ConsumerOptions(channel: Topics.tasks.channel, group: group), handler: resolver.tasks),
        ]
    }

    private func renderer(_ parts: PipelineParts) async throws -> [any Service] {
        let handler = RenderHandler(
            tasks: TaskCache(parts.archive, bytesMaximum: 1 << 20, metrics: parts.environment.metrics),
            ledger: parts.ledger, environment: parts.environment)
        return [
            try await parts.worker(Renderer.options(.bulk), handler: handler),
            try await parts.worker(Renderer.options(.fast), handler: handler),
        ]
    }

    private func sender(_ parts: PipelineParts, of family: DispatchFamily) async throws -> [any Service] {
        let environment = parts.environment
        let lease = Duration.seconds(60)
        let halts = AppHalts(
            patience: .seconds(3_600), time: environment.time, log: environment.log, metrics: environment.metrics)
        let outages = OutageWatch(
            parts.outages, probeLease: lease, time: environment.time, random: environment.random,
            log: environment.log, metrics: environment.metrics)
        let sweep = family == .apple ? try channelSweep(parts) : nil
        let gateway = SimulatedGateway(
            provider: parts.world.provider, feeds: sweep.map { ChannelFeeds($0, log: environment.log) },
            seam: parts.seam)
        let handler = DispatchHandler(
            ledger: parts.ledger, gateways: gateway, halts: halts, outages: outages,
            breakers: DeletionBreakers(time: environment.time), witness: parts.witness,
            pacer: PushPacer(parts.pacing, time: environment.time),
            activities: family == .apple ? ActivityWatch(parts.registry, time: environment.time) : nil, lease: lease,
            random: environment.random,
            metrics: environment.metrics)
        var workers: [any Service] = sweep.map { channelSweeper(parts, sweep: $0) } ?? []
        for lane in [Lane.bulk, .fast] {
            let options = ConsumerOptions(dispatchesOf: family, lane: lane, group: "\(rawValue)-sender")
            workers.append(try await parts.worker(options, handler: handler))
        }
        return workers
    }

    private func channelSweep(_ parts: PipelineParts) throws -> ChannelSweep {
        ChannelSweep(
            space: try AppID("news").activities,
            client: SimulatedChannelAPI(provider: parts.world.provider, seam: parts.seam), store: parts.registry,
            retention: parts.world.channelRetention ?? .zero, time: parts.environment.time)
    }

    /// None in a history without channels: it would look each minute.
    private func channelSweeper(_ parts: PipelineParts, sweep: ChannelSweep) -> [any Service] {
        guard parts.world.channelRetention != nil else { return [] }
        let app = parts.world.settings.app(sweep.space.owner)
        let environment = parts.environment
        return [
            ChannelSweeper(
                of: { [app] }, deletesUnknown: true, time: environment.time, log: environment.log,
                metrics: environment.metrics
            ) { _, _ in sweep }
        ]
    }

    private func scheduler(_ parts: PipelineParts) async throws -> [any Service] {
        let producer = try await parts.producer(patience: .seconds(10))
        let lease = Duration.seconds(60)
        let retries = RetryParts(
            index: parts.retries, registry: parts.registry,
            isRegistryReady: { try await parts.registry.state() == .ready }, ledger: parts.ledger,
            outages: parts.outages, judges: TimedJudges(metrics: parts.environment.metrics), pacing: parts.pacing,
            archive: parts.archive, producer: producer, lease: lease,
            // Most looks find nothing, and there are hours of them.
            jobRestMaximum: .seconds(10), environment: parts.environment)
        let tasks = ScheduledTaskParts(
            TaskReplacement.Stores(
                replacements: parts.replacements, archive: parts.archive, ledger: parts.ledger),
            agenda: parts.agenda, reader: parts.registry, index: parts.retries, moments: parts.moments,
            opens: parts.world.opens, isRegistryReady: { try await parts.registry.state() == .ready },
            producer: producer, hasLog: true, lease: lease,
            environment: parts.environment)
        var services: [any Service] = retries.releasers + tasks.releasers + [tasks.sweep]
        for lane in Lane.allCases {
            services.append(
                try await parts.worker(
                    ConsumerOptions(channel: Topics.retries.channel(lane), group: Scheduler.group),
                    handler: retries.intake(lane)))
        }
        services.append(
            try await parts.worker(
                ConsumerOptions(channel: Topics.schedules.channel, group: Scheduler.group), handler: tasks.intake))
        return services
    }

    private func reporter(_ parts: PipelineParts) async throws -> [any Service] {
        let (world, seam) = (parts.world, parts.seam)
        let stores = TaskStores(
            ledger: parts.ledger, archive: parts.archive, agenda: parts.agenda,
            traces: SimulatedTaskTraces(base: world.traces, seam: seam),
            statistics: SimulatedTaskStatistics(base: world.statistics, seam: seam),
            deviceTasks: SimulatedDeviceTasks(base: world.deviceTasks, seam: seam), witness: parts.witness,
            outbox: SimulatedStateOutbox(base: world.outbox, seam: seam))
        var settings = EnvironmentReader([:])
        let configuration = ReporterConfiguration(environment: &settings)
        let client = SimulatedEndpointClient(
            endpoint: world.endpoint, seam: seam, deadline: configuration.webhook.deadline)
        let reporter = ReporterParts(
            stores: stores, opens: world.opens, registry: parts.registry, producer: try await parts.producer(),
            client: client, secrets: SimulatedEndpointSecrets(), app: { world.settings.app($0) },
            configuration: configuration, interval: .seconds(5), environment: parts.environment)
        // Nothing ever waits for it without a webhook.
        let states: [any Service] = world.settings.hasWebhook ? [reporter.stateSender] : []
        let receipts = ReceiptHandler(
            parts.receipts,
            places: ReceiptPlaces(receipts: parts.receipts, archive: stores.archive, traces: stores.traces),
            states: reporter.recorder, learner: reporter.learner, metrics: parts.environment.metrics)
        return states + [
            reporter.sweeper,
            try await parts.worker(Reporter.receipts, handler: receipts),
            try await parts.worker(Reporter.statuses, handler: StatusHandler(recorder: reporter.recorder)),
            try await parts.worker(Reporter.results, handler: reporter.handler),
        ]
    }
}
