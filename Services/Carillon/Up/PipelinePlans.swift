import CommandKit
import ServiceKit

/// Paths of the programs. The error for missing ones names them all and how to build them.
struct PipelinePrograms: Sendable {
    private let paths: [String: String]

    init(_ names: [String]) throws {
        var paths: [String: String] = [:]
        var missing: [MissingProgramError] = []
        for name in names {
            do {
                paths[name] = try SiblingProgram(name).path
            } catch let error as MissingProgramError {
                missing.append(error)
            }
        }
        guard missing.isEmpty else {
            let list = missing.map(\.name).joined(separator: ", ")
            throw UpError("\(list): not in \(missing[0].folder); build everything with `make build`")
        }
        self.paths = paths
    }

    func path(of name: String) -> String {
        paths[name] ?? name
    }
}

/// How each program of a pipeline is started.
struct PipelinePlans: Sendable {
    let folder: DataFolder
    let programs: PipelinePrograms
    /// The environment of `up`, of which each program gets its part.
    let inherited: ChildEnvironment
    let drainDeadline: Duration
    /// Nil for what the environment says.
    let udpPort: UInt16?

    func redis(port: UInt16, memoryBytes: Int) -> ProgramPlan {
        let arguments = EmbeddedRedis.arguments(port: port, folder: folder.redis, isDurable: true)
        return ProgramPlan(
            name: "redis", path: EmbeddedRedis.program, arguments: arguments + ["--maxmemory", "\(memoryBytes)"],
            environment: { [inherited] in inherited.foreign }, readiness: .line(EmbeddedRedis.isReady),
            url: "redis://127.0.0.1:\(port)", dialect: .redis)
    }

    /// `addressPorts` are by the names of their settings.
    func simulator(adminPort: UInt16, addressPorts: [String: UInt16]) -> ProgramPlan {
        let variables = inherited.own(of: PipelineService.simulatorSettings).merging([
            "CARILLON_SIMULATOR_FOLDER": folder.simulator, "CARILLON_SIMULATOR_ADMIN_PORT": "\(adminPort)",
        ]) { $1 }.merging(addressPorts.mapValues { "\($0)" }) { $1 }
        let admin = "http://127.0.0.1:\(adminPort)"
        return ProgramPlan(
            name: PipelineService.simulator, path: programs.path(of: PipelineService.simulator),
            environment: { variables }, readiness: .line { $0.hasPrefix("{\"ready\":true") }, url: admin, admin: admin)
    }

    private static let consoleSetting = "CARILLON_INGEST_CONSOLE"

    /// The console is served unless the environment says otherwise.
    var servesConsole: Bool {
        !inherited.isSet(PipelinePlans.consoleSetting)
            || inherited.own(of: ["INGEST"])[PipelinePlans.consoleSetting] == "on"
    }

    /// The public port of a service. With a certificate it accepts only TLS.
    func url(of prefix: String, port: UInt16) -> String {
        let scheme = inherited.isSet("\(prefix)_TLS_CERTIFICATE") ? "https" : "http"
        return "\(scheme)://127.0.0.1:\(port)"
    }

    /// `publicPort` is that of a service which has one.
    func service(
        _ service: PipelineService, adminPort: UInt16, redis: String, publicPort: UInt16?, simulator: SimulatorBoard
    ) -> ProgramPlan {
        var own = [
            "CARILLON_BUS": redis, "CARILLON_REDIS": redis, "CARILLON_ADMIN_PORT": "\(adminPort)",
            "CARILLON_DRAIN_DEADLINE": DurationText.print(drainDeadline),
        ]
        if service.families.contains("APPS") { own["CARILLON_APPS"] = folder.apps }
        if service.families.contains("PEPPER") { own["CARILLON_PEPPER_FILE"] = folder.pepperFile }
        if let prefix = service.publicPrefix, let publicPort { own["\(prefix)_PORT"] = "\(publicPort)" }
        if service.name == PipelineService.ingest, let udpPort { own["CARILLON_INGEST_UDP"] = "\(udpPort)" }
        if service.name == PipelineService.ingest, servesConsole { own[PipelinePlans.consoleSetting] = "on" }
        let variables = inherited.own(of: service.families).merging(own) { $1 }
        let admin = "http://127.0.0.1:\(adminPort)"
        let publicURL = publicPort.flatMap { port in service.publicPrefix.map { url(of: $0, port: port) } }
        return ProgramPlan(
            name: service.name, path: programs.path(of: service.name),
            environment: { variables.merging(simulator.variables(of: service.name)) { $1 } },
            readiness: .address("\(admin)/readyz"), url: publicURL ?? admin, admin: admin)
    }
}
