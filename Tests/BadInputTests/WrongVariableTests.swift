import ServiceKit
import TestSupport
import Testing

/// An invalid variable stops the start with its name and the remedy; an unknown one causes a warning.
@Suite(.timeLimit(.minutes(5))) struct WrongVariableTests {
    /// No server listens there; these tests do not need one.
    private static let nowhere = "redis://127.0.0.1:1"

    @Test(arguments: StartedService.names)
    func aTypingErrorIsNamedWithWhatWasMeant(name: String) async throws {
        let service = try StartedService(
            name,
            settings: [
                "CARILLON_BUS": Self.nowhere, "CARILLON_REDDIS_URL": "redis://127.0.0.1:6379",
                // Variables of other services, and addresses set by Kubernetes, are no error.
                "CARILLON_SIMULATOR_HOST": "localhost", "CARILLON_RELEASE_PORT": "tcp://10.0.0.1:80",
            ])
        let sentence = "unknown variable CARILLON_REDDIS_URL; did you mean CARILLON_REDIS?"
        #expect(await service.prints("\"level\":\"warning\"", "unknown variable", sentence))
        try await service.expectReadiness(503, texts: "settings: \(sentence)\"")
        await service.stop()
        #expect(service.process.lines.filter { $0.contains("unknown variable") }.count == 1)
    }

    @Test func theSimulatorAndTheCommandNameItToo() async throws {
        let folder = TemporaryDirectory("simulator")
        let simulator = try StartedService(
            "provider-simulator",
            settings: ["CARILLON_SIMULATOR_FOLDER": folder.path, "CARILLON_SIMULATOR_BUNDEL": "x"])
        #expect(
            await simulator.prints(
                "unknown variable CARILLON_SIMULATOR_BUNDEL; did you mean CARILLON_SIMULATOR_BUNDLE?"))
        await simulator.stop()
        let command = try ChildProcess.service(
            "carillon", settings: ["CARILLON_APS": "x", "CARILLON_APPS": folder.path], arguments: ["apps", "list"])
        #expect(await command.end() == .exited(0))
        #expect(command.lines.contains("carillon: unknown variable CARILLON_APS; did you mean CARILLON_APPS?"))
    }

    /// For each service, one variable of its own and one common variable.
    @Test(arguments: [
        ("ingest-api", "CARILLON_INGEST_ADDRESS", "nowhere", "set it to an IPv4 or IPv6 address"),
        ("ingest-api", "CARILLON_INGEST_TLS_KEY", "/dev/null", "set CARILLON_INGEST_TLS_CERTIFICATE as well"),
        ("targeting-resolver", "CARILLON_RESOLVER_WINDOW", "0", "set it to an integer from 1"),
        ("renderer", "CARILLON_RENDERER_CACHE_BYTES", "64", "set it to a size from 1MiB"),
        ("apns-sender", "CARILLON_APNS_HOST", "https://api.push.apple.com", "set it to a host name or address"),
        ("apns-sender", "CARILLON_APNS_CA_FILE", "/nowhere/ca.pem", "name an existing file"),
        ("android-sender", "CARILLON_FCM_HOST", "fcm:443", "set it to a host name or address"),
        ("android-sender", "CARILLON_FCM_CA_FILE", "/nowhere/ca.pem", "name an existing file"),
        ("android-sender", "CARILLON_HUAWEI_CA_FILE", "/nowhere/ca.pem", "name an existing file"),
        ("web-sender", "CARILLON_WEBPUSH_CA_FILE", "/nowhere/ca.pem", "name an existing file"),
        ("web-sender", "CARILLON_WEBPUSH_SERVICES", "https://push.example", "set it to host names"),
        ("web-sender", "CARILLON_WEB_ALLOW_ADDRESSES", "10.0.0.0/40", "set it to addresses and ranges"),
        ("scheduler", "CARILLON_SCHEDULER_LEASE", "never", "set it to a duration from"),
        ("reporter", "CARILLON_REPORTER_WEBHOOK_CA_FILE", "/nowhere/ca.pem", "name an existing file"),
        ("provider-simulator", "CARILLON_SIMULATOR_APNS_PORT", "70000", "set it to an integer from 0 to 65535"),
    ])
    func aWrongValueEndsTheStart(name: String, variable: String, value: String, cure: String) async throws {
        let shared = ["CARILLON_BUS": "http://127.0.0.1", "CARILLON_REDIS_PASSWORD_FILE": "/nowhere/password"]
        let service = try StartedService(name, settings: shared.merging([variable: value]) { $1 })
        #expect(await service.process.end() == .exited(78))
        #expect(await service.prints("\(variable): ", cure), "\(service.process.lines)")
        guard name != "provider-simulator" else { return }
        #expect(await service.prints("CARILLON_BUS: ", "set it to redis://HOST:PORT or kafka://HOST:PORT"))
        #expect(await service.prints("CARILLON_REDIS_PASSWORD_FILE: no readable text file at /nowhere/password"))
    }

    @Test func aTakenPortNamesItsVariables() async throws {
        let server = try await RedisServer(.forStores)
        let service = try StartedService(
            "ingest-api", settings: ["CARILLON_BUS": server.url, "CARILLON_INGEST_PORT": "\(server.port)"])
        #expect(await service.process.end() == .exited(1))
        #expect(
            await service.prints(
                "cannot listen on 127.0.0.1 port \(server.port): Address already in use; "
                    + "set CARILLON_INGEST_ADDRESS and CARILLON_INGEST_PORT"))
    }
}
