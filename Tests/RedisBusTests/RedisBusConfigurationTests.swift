import RedisBus
import ServiceKit
import Testing

@Suite struct RedisBusConfigurationTests {
    /// The defaults are documented and measured, so a change must be deliberate.
    @Test func defaultsStay() throws {
        var reader = EnvironmentReader([:])
        for configuration in [RedisBusConfiguration(), RedisBusConfiguration(environment: &reader)] {
            #expect(configuration.channelBytesMaximum == 64 << 20)
            #expect(configuration.logBytesMaximum == 64 << 20)
            #expect(configuration.memoryPercentMaximum == 70)
            #expect(configuration.lease == .seconds(10))
            #expect(configuration.heartbeat == .seconds(2))
        }
        try reader.finish()
    }

    @Test func everyVariableIsRead() throws {
        var reader = EnvironmentReader([
            "CARILLON_BUS_CHANNEL_BYTES": "2MiB", "CARILLON_BUS_LOG_BYTES": "3MiB", "CARILLON_BUS_MEMORY_PERCENT": "50",
            "CARILLON_BUS_LEASE": "900ms", "CARILLON_BUS_HEARTBEAT": "300ms",
        ])
        let configuration = RedisBusConfiguration(environment: &reader)
        try reader.finish()
        #expect(configuration.channelBytesMaximum == 2 << 20 && configuration.logBytesMaximum == 3 << 20)
        #expect(configuration.memoryPercentMaximum == 50)
        #expect(configuration.lease == .milliseconds(900) && configuration.heartbeat == .milliseconds(300))
    }

    @Test func aHeartbeatMustFitThriceIntoTheLease() {
        var reader = EnvironmentReader(["CARILLON_BUS_LEASE": "899ms", "CARILLON_BUS_HEARTBEAT": "300ms"])
        _ = RedisBusConfiguration(environment: &reader)
        #expect(reader.problems.map(\.variable) == ["CARILLON_BUS_HEARTBEAT"])
    }
}
