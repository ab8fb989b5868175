import Glibc
import ServiceHost
import ServiceKit

/// Simulates all providers in one process on loopback, for tests, benchmarks and trying things out. It needs no bus, so
/// it does not run under `ServiceHost`.
package struct ProviderSimulator {
    private static let name = "provider-simulator"

    package static func main() async {
        let signals = SignalListener.install()
        var reader = EnvironmentReader(EnvironmentReader.processEnvironment())
        let configuration = SimulatorConfiguration(environment: &reader)
        CommandLineText(
            service: name, purpose: "simulates all push providers, with faults on demand",
            variables: reader.variables
        ).answer(CommandLine.arguments)
        do throws(ConfigurationError) {
            try reader.finish()
        } catch {
            StandardError.print("\(name) cannot start:\n\(error)")
            exit(ExitCode.configuration)
        }
        for stranger in reader.unknownVariables { StandardError.print("\(name): \(stranger)") }
        exit(await run(configuration, signals: signals))
    }

    private static func run(_ configuration: SimulatorConfiguration, signals: SignalListener) async -> Int32 {
        do {
            let simulator = try Simulator(configuration, log: Log(service: name, level: .warning))
            StandardOutputSink().write(line: simulator.announcement.json)
            await signals.stopRequest()
            await simulator.stop()
            return 0
        } catch {
            StandardError.print("\(name) cannot start: \(error)")
            return ExitCode.failure
        }
    }
}
