import ServiceKit

/// Whether the console is served, and where the simulator is whose moods it sets.
struct ConsoleSettings: Sendable, Equatable {
    let isServed: Bool
    /// The address of the simulator's admin port; nil without a simulator.
    let simulator: String?

    init(environment: inout EnvironmentReader) {
        isServed = environment.parse(
            "CARILLON_INGEST_CONSOLE", default: false, text: "off",
            meaning: "on serves the console at /console of the public port: people sign in with a private key.",
            expected: "on or off", convert: { ["on": true, "off": false][$0] })
        simulator = environment.parse(
            "CARILLON_INGEST_CONSOLE_SIMULATOR", default: String?.none, text: "",
            meaning:
                "Address of the provider simulator's admin port: the console then sets its moods. Never for production.",
            expected: "an address such as http://127.0.0.1:9470"
        ) { text in
            text.hasPrefix("http://") && !text.hasSuffix("/") ? text : nil
        }
    }
}
