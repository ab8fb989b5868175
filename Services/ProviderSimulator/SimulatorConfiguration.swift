import ServiceKit

/// Settings of `provider-simulator`. It needs no bus, so it reads no others.
struct SimulatorConfiguration: Sendable {
    var folder: String
    var address: String
    var host: String
    var ports: [Provider: UInt16]
    var adminPort: UInt16
    var bundle: String
    var project: String
    /// From which the keys of all subscriptions and the tokens of phones derive.
    var seed: String
    var streamsMaximum: Int
    var channelsMaximum: Int
    var limits: DeliveryBook.Limits

    init(environment: inout EnvironmentReader) {
        folder = environment.text(
            "CARILLON_SIMULATOR_FOLDER", default: "simulator",
            meaning: "Folder for the authority's certificate and the credentials, created again at each start.")
        address = environment.text(
            "CARILLON_SIMULATOR_ADDRESS", default: "127.0.0.1", meaning: "Address to listen on, for all ports.")
        host = environment.text(
            "CARILLON_SIMULATOR_HOST", default: "localhost",
            meaning: "Host name that clients use; the name in its certificate.")
        ports = [:]
        for provider in Provider.allCases {
            let name = "CARILLON_SIMULATOR_\(provider.rawValue.uppercased())_PORT"
            ports[provider] = SimulatorConfiguration.port(
                &environment, name: name, meaning: "Port of the simulated \(provider.owner)")
        }
        adminPort = SimulatorConfiguration.port(
            &environment, name: "CARILLON_SIMULATOR_ADMIN_PORT", meaning: "Port for statistics and faults, plain HTTP")
        bundle = environment.text(
            "CARILLON_SIMULATOR_BUNDLE", default: "com.example.news",
            meaning: "Bundle ID accepted by the simulated Apple.")
        project = environment.text(
            "CARILLON_SIMULATOR_PROJECT", default: "example-news", meaning: "Project accepted by the simulated Google.")
        seed = environment.text(
            "CARILLON_SIMULATOR_SEED", default: "carillon",
            meaning: "Text from which keys of browsers and tokens of phones derive; the same text gives the same ones.")
        streamsMaximum = environment.integer(
            "CARILLON_SIMULATOR_STREAMS_MAX", default: 1_000, in: 1...1_000_000,
            meaning: "Concurrent requests allowed on one connection.")
        channelsMaximum = environment.integer(
            "CARILLON_SIMULATOR_CHANNELS_MAX", default: 10_000, in: 0...ChannelAPI.countMaximum,
            meaning: "Broadcast channels that the simulated Apple allows; Apple allows 10,000.")
        limits = DeliveryBook.Limits()
        limits.devices = environment.integer(
            "CARILLON_SIMULATOR_DEVICES_MAX", default: limits.devices, in: 1...100_000_000,
            meaning:
                "Devices that each provider counts individually; deliveries to further devices are counted together.")
        limits.marks = environment.integer(
            "CARILLON_SIMULATOR_DELIVERIES_MAX", default: limits.marks, in: 1...100_000_000,
            meaning: "Newest deliveries of each provider that are checked for duplicates.")
        limits.keptPushes = environment.integer(
            "CARILLON_SIMULATOR_KEPT_PUSHES", default: limits.keptPushes, in: 0...100_000,
            meaning: "Newest pushes of each provider that are stored in full.")
    }

    private static func port(_ environment: inout EnvironmentReader, name: String, meaning: String) -> UInt16 {
        UInt16(environment.integer(name, default: 0, in: 0...65_535, meaning: "\(meaning); 0 picks a free port."))
    }
}
