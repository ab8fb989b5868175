import Bus
import Glibc
import HTTPServer
package import ServiceKit

/// Runs every service: `--help`, `--version`, configuration from the environment, logs, the admin port, the bus, and an
/// orderly shutdown.
package enum ServiceHost {
    /// Runs until a signal requests the shutdown, and does not return.
    ///
    /// `build` is called once the configuration is valid; it may wait for the bus. With a `check` the service answers
    /// `--check` instead of running. Exit codes: 0 after an orderly
    /// shutdown, 1 after a failure or when the drain deadline passed, 64 for an invalid command line, 78 for an invalid
    /// environment, 128 plus the signal's number after a second signal.
    package static func main<Configuration: Sendable>(
        _ service: String, purpose: String,
        configuration: @Sendable (inout EnvironmentReader) -> Configuration,
        check: ServiceCheck<Configuration>? = nil,
        build: @escaping @Sendable (ServiceContext, Configuration) async throws -> [any Service]
    ) async -> Never {
        let signals = SignalListener.install()
        var reader = EnvironmentReader(EnvironmentReader.processEnvironment())
        let host = HostConfiguration(environment: &reader)
        let worker = WorkerOptions(environment: &reader)
        let own = configuration(&reader)
        let checkWords = check?.words(of: CommandLine.arguments)
        if checkWords == nil {
            CommandLineText(
                service: service, purpose: purpose, checkOperands: check?.operands, variables: reader.variables
            ).answer(CommandLine.arguments)
        }
        do throws(ConfigurationError) {
            try reader.finish()
        } catch {
            StandardError.print("\(service) cannot start:\n\(error)")
            exit(ExitCode.configuration)
        }
        if let check, let checkWords {
            let request = CheckRequest(words: checkWords, service: service)
            await check.run(request, configuration: own, service: service)
        }
        let code = await run(
            service, host: host, workerOptions: worker, unknownVariables: reader.unknownVariables, signals: signals
        ) { try await build($0, own) }
        exit(code)
    }

    private static func run(
        _ service: String, host: HostConfiguration, workerOptions: WorkerOptions, unknownVariables: [String],
        signals: SignalListener, build: @escaping @Sendable (ServiceContext) async throws -> [any Service]
    ) async -> Int32 {
        let time = SystemTimeSource()
        let log = Log(service: service, level: host.logLevel, time: time)
        let environment = WorkerEnvironment(
            time: time, random: SystemRandomSource(), log: log, metrics: Metrics(), health: Health(time: time))
        for stranger in unknownVariables { log.warning("unknown variable", [.reason: stranger]) }
        environment.health.addRemark("settings") {
            unknownVariables.isEmpty ? nil : unknownVariables.joined(separator: "; ")
        }
        environment.health.beginStart()
        environment.metrics.gauge(.buildInfo, labels: ["service": service, "version": CarillonVersion.current]).set(1)
        do {
            let bus = try host.bus.open(environment)
            environment.health.addReadinessCheck("bus") { await bus.readiness() }
            // A bus that may lose messages must show in the log too, for operators who do not read `/readyz`.
            Task {
                guard case .notReady(let reason) = await bus.readiness() else { return }
                log.warning("bus not ready", [.reason: reason])
            }
            let context = ServiceContext(
                bus: bus, environment: environment, workerOptions: workerOptions, redis: host.bus.redis,
                hasLoggedRegistry: host.bus.kafka != nil, memoryPercent: host.bus.memoryPercent)
            let application = Application(context, drainDeadline: host.drainDeadline, build: build)
            let routes = AdminRoutes(health: environment.health, metrics: environment.metrics)
            let admin = HTTPService(
                "admin server",
                server: HTTPServer(
                    name: "admin", configuration: host.admin, router: routes.router, log: log,
                    metrics: environment.metrics, time: time))
            log.info("starting", [.version: CarillonVersion.current, .address: host.bus.address])
            // The admin server comes first so that it is stopped last and answers during the drain.
            let end = try await ServiceGroup([admin, application], log: log, time: time)
                .run(drainingWithin: host.drainDeadline + .seconds(5)) {
                    let signal = await signals.stopRequest()
                    environment.health.startDraining()
                    log.info("stopping", [.signal: "\(signal)", .duration: DurationText.print(host.drainDeadline)])
                    guardEnd(after: host.drainDeadline + .seconds(10))
                }
            if case .cutOff(let names) = end {
                log.error("stopped with unfinished work", [.reason: names.joined(separator: ", ")])
                return ExitCode.failure
            }
            log.info("stopped")
            return 0
        } catch {
            log.error("stopped after a failure", [.error: "\(error)"])
            return ExitCode.failure
        }
    }

    /// Ends the process even if a C library hangs in its own shutdown: by this time all durable work is safe.
    private static func guardEnd(after deadline: Duration) {
        NativeThread(name: "end-guard") {
            var left = UInt32(deadline.components.seconds)
            // A signal delivered to this thread ends a sleep early.
            while left > 0 { left = sleep(left) }
            _exit(ExitCode.failure)
        }.detach()
    }
}
