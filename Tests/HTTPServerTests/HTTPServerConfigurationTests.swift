import ServiceKit
import Testing

@testable import HTTPServer

@Suite struct HTTPServerConfigurationTests {
    /// Operators and other services rely on the defaults, so a change must be deliberate.
    @Test func defaultsArePinned() {
        let configuration = HTTPServerConfiguration()
        #expect(configuration.address == "127.0.0.1")
        #expect(configuration.port == 0)
        #expect(configuration.threads == 1)
        #expect(configuration.connectionsMaximum == 10_000)
        #expect(configuration.headerDeadline == .seconds(10))
        #expect(configuration.headerBytesMaximum == 16_384)
        #expect(configuration.bodyDeadline == .seconds(60))
        #expect(configuration.bodyBytesMaximum == 1_048_576)
        #expect(HTTPServerConfiguration.routeBodyBytesMaximum == 67_108_864)
        #expect(configuration.bodiesBytesMaximum == 67_108_864)
        #expect(configuration.idleTimeout == .seconds(60))
        #expect(configuration.stopDeadline == .seconds(10))
    }

    @Test func anEmptyEnvironmentGivesTheDefaults() throws {
        var environment = EnvironmentReader([:])
        var expected = HTTPServerConfiguration()
        expected.variablePrefix = "API"
        #expect(HTTPServerConfiguration(environment: &environment, prefix: "API") == expected)
        try environment.finish()
    }

    @Test func theEnvironmentIsRead() throws {
        var environment = EnvironmentReader(["API_ADDRESS": "::", "API_PORT": "8080", "API_BODIES_MAX": "1GiB"])
        let configuration = HTTPServerConfiguration(environment: &environment, prefix: "API")
        try environment.finish()
        #expect(configuration.address == "::")
        #expect(configuration.port == 8_080)
        #expect(configuration.bodiesBytesMaximum == 1 << 30)
    }

    @Test(arguments: [(64 << 20, 409, 32 << 20), (256 << 20, 1_638, 128 << 20), (8 << 30, 10_000, 1 << 30)])
    func connectionsAndBodiesFitTheMemory(memory: Int, connections: Int, bodies: Int) {
        let configuration = HTTPServerConfiguration.fitting(memoryBytes: memory)
        #expect(configuration.connectionsMaximum == connections)
        #expect(configuration.bodiesBytesMaximum == bodies)
    }

    @Test func connectionsOverTLSAreFewer() {
        #expect(HTTPServerConfiguration.fitting(memoryBytes: 256 << 20, isSecure: true).connectionsMaximum == 819)
    }
}
