import HTTPClient
import ServiceKit
import TestSupport
import Testing

@Suite struct ConfigurationTests {
    @Test func readsItsEnvironment() throws {
        let folder = TemporaryDirectory("authority")
        let authority = folder.write("ca.pem", content: "")
        var reader = EnvironmentReader([
            "X_CONCURRENT_MAX": "7", "X_WAITING_MAX": "0", "X_HOST_MAX": "2", "X_DEADLINE": "9s",
            "X_CONNECT_DEADLINE": "250ms", "X_CA_FILE": authority,
        ])
        let configuration = HTTPClientConfiguration(environment: &reader, prefix: "X", defaults: .forTests)
        try reader.finish()
        #expect(configuration.concurrentMaximum == 7 && configuration.waitingMaximum == 0)
        #expect(configuration.hostMaximum == 2)
        #expect(configuration.deadline == .seconds(9) && configuration.connectDeadline == .milliseconds(250))
        #expect(configuration.authorityFile == authority)
    }

    @Test func keepsItsDefaults() throws {
        var reader = EnvironmentReader([:])
        #expect(HTTPClientConfiguration(environment: &reader, prefix: "X", defaults: .forTests) == .forTests)
        try reader.finish()
    }
}
