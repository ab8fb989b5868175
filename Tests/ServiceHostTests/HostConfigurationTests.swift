import RedisClient
import ServiceHost
import ServiceKit
import Testing

@Suite struct HostConfigurationTests {
    @Test func defaultsStay() throws {
        var reader = EnvironmentReader([:])
        let configuration = HostConfiguration(environment: &reader)
        try reader.finish()
        #expect(configuration.logLevel == .info)
        #expect(configuration.drainDeadline == .seconds(30))
        #expect(configuration.bus.address == "redis://127.0.0.1:6379")
        let defaults = Dictionary(uniqueKeysWithValues: reader.variables.map { ($0.name, $0.defaultText) })
        #expect(defaults["CARILLON_ADMIN_ADDRESS"] == "127.0.0.1")
        #expect(defaults["CARILLON_ADMIN_PORT"] == "9464")
        #expect(defaults["CARILLON_ADMIN_CONNECTIONS_MAX"] == "64")
    }

    @Test(arguments: [
        ("redis://user:secret@localhost:6380/2", "redis://localhost:6380"),
        ("rediss://:secret@[::1]:6380", "rediss://[::1]:6380"),
        ("kafka://a:9092,b:9093", "kafka://a:9092,b:9093"),
    ])
    func theAddressHoldsNoCredentials(url: String, expected: String) throws {
        var reader = EnvironmentReader(["CARILLON_BUS": url])
        let configuration = HostConfiguration(environment: &reader)
        try reader.finish()
        #expect(configuration.bus.address == expected)
    }

    @Test(arguments: [
        ([:], "127.0.0.1:6379"),
        (["CARILLON_BUS": "redis://a:1"], "a:1"),
        (["CARILLON_BUS": "redis://a:1", "CARILLON_REDIS": "redis://b:2"], "b:2"),
        (["CARILLON_BUS": "kafka://a:1", "CARILLON_REDIS": "redis://b:2"], "b:2"),
        (["CARILLON_BUS": "kafka://a:1"], "127.0.0.1:6379"),
    ])
    func theEmbeddedBusHoldsTheRegistryByDefault(variables: [String: String], expected: String) throws {
        var reader = EnvironmentReader(variables)
        let configuration = HostConfiguration(environment: &reader)
        try reader.finish()
        #expect(configuration.bus.redis.addresses.map(\.description) == [expected])
    }
}
