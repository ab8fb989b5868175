import Bus
import HTTPServer
import ServiceKit
import Store
import TaskKit

/// All routes of the public port.
struct IngestRoutes {
    private let gatekeeper: Gatekeeper
    private let refusals: RefusalMeters
    private let dialects: [any Dialect]

    init(
        _ registry: any Registry, reader: any RegistryReader, audiences: any SavedAudiences, access: TaskAccess,
        gatekeeper: Gatekeeper, idempotencyLease: Duration, environment: WorkerEnvironment
    ) {
        let reading = BodyReading()
        let cancellation = TaskCancellation(
            ledger: access.ledger, agenda: access.agenda, producer: access.producer, reader: reader,
            environment: environment)
        let submission = TaskSubmission(
            access, cancellation: cancellation, reading: reading, idempotencyLease: idempotencyLease,
            environment: environment)
        let saved = AudienceBook(store: audiences)
        let counting = AudienceCount(
            registry: registry, reader: reader, turns: CountTurns(environment.metrics), time: environment.time)
        let log = RefusalLog(environment.log, time: environment.time)
        let book = TaskBook(
            archive: access.archive, ledger: access.ledger, traces: access.traces, receipts: access.receipts,
            replacements: access.replacements, time: environment.time, log: environment.log)
        let tasks = TaskRoutes(
            submission: submission, book: book, cancellation: cancellation, counting: counting, audiences: saved,
            reading: reading)
        let registration = DeviceRegistration(registry, environment: environment)
        let devices = DeviceRoutes(
            registry: registry, devices: registration, limits: gatekeeper.limits, reading: reading,
            time: environment.time)
        let users = UserRoutes(
            book: DeviceBook(registry: registry),
            deletion: UserDeletion(
                registry: registry, tasks: access, cancellation: cancellation, log: environment.log))
        self.gatekeeper = gatekeeper
        refusals = RefusalMeters(environment.metrics)
        dialects = [
            PushdDialect(
                registry: registry, devices: registration, submission: submission, limits: gatekeeper.limits,
                reading: reading, log: log),
            NativeDialect(
                tasks: tasks,
                audiences: AudienceRoutes(book: saved, counting: counting, reading: reading, room: access.room),
                devices: devices, users: users,
                receipts: ReceiptRoutes(access, reading: reading, environment: environment),
                statistics: StatisticsRoutes(
                    statistics: access.statistics, receipts: access.receipts, time: environment.time),
                deviceTasks: DeviceTaskRoutes(book: book, tasks: access.deviceTasks, registry: registry), log: log),
            RichieDialect(submission: submission, reading: reading, log: log),
        ]
    }

    var router: HTTPRouter {
        var router = HTTPRouter()
        for dialect in dialects {
            CountedDialect(dialect: dialect, refusals: refusals).addRoutes(to: &router, gatekeeper: gatekeeper)
        }
        router.on(.get, pattern: "/openapi.yaml") { _ in
            // The type is RFC 9512's.
            HTTPResponse(
                .ok, headers: [HTTPField("Content-Type", "application/yaml")],
                body: .bytes(PackageResources.openapi_yaml))
        }
        return router
    }
}
