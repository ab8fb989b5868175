import Bus
import ServiceHost
import ServiceKit
import Store
import TaskKit
import Topics

extension TargetingResolver {
    static let group = "targeting-resolver"

    static func build(
        _ context: ServiceContext, configuration: TargetingResolverConfiguration
    ) async throws -> [any Service] {
        let environment = context.environment
        // The few queries of a task must not queue behind the records of whole segments that jobs read.
        let redis = context.makeLaneClients()
        let stores = try await ResolverStores(redis[.fast], context: context)
        environment.health.addReadinessCheck("registry") { await stores.registry.readiness(meanwhile: "tasks wait") }
        let events = try await context.untilReachable {
            try await context.bus.makeProducer(ProducerOptions(patience: EventPublisher.patience))
        }
        let parts = ResolverParts(
            tasks: stores, jobs: try await ResolverStores(redis[.bulk], context: context),
            judges: TimedJudges(metrics: environment.metrics), events: events, window: configuration.window,
            environment: environment)
        // Stopped in reverse: first planning ends, then the jobs in progress are finished.
        return [
            SharedResources {
                await events.close()
                await redis.close()
            },
            context.watch(context.openWitness(redis[.fast])),
            context.worker(ResolverParts.jobs(group: group), handler: parts.jobs),
            context.worker(ResolverParts.lists(group: group), handler: parts.lists),
            context.worker(
                ConsumerOptions(channel: Topics.tasks.channel, group: group), carriesSinglePushes: true,
                handler: parts.tasks),
        ]
    }
}
