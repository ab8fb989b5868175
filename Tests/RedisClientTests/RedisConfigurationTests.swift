import RedisClient
import ServiceKit
import TLSSocket
import TestSupport
import Testing

@Suite struct RedisConfigurationTests {
    @Test func defaultsArePinned() {
        let configuration = RedisConfiguration()
        #expect(configuration.addresses == [.init(host: "127.0.0.1", port: 6379)])
        #expect(configuration.connections == 2)
        #expect(configuration.commandDeadline == .seconds(5))
        #expect(configuration.connectDeadline == .seconds(2))
        #expect(configuration.reconnectBackoff == Backoff(first: .milliseconds(50), longest: .seconds(5)))
        #expect(configuration.outstandingBytesMaximum == 64 << 20)
        #expect(configuration.replyBytesMaximum == 64 << 20)
        #expect(configuration.tls == nil && configuration.password == nil && !configuration.isCluster)
    }

    @Test func readsEveryPartOfAURL() throws {
        let configuration = try RedisConfiguration(url: "rediss://us%40er:p%3Aw:x@[::1]:7000/5")
        #expect(configuration.addresses == [.init(host: "::1", port: 7000)])
        #expect(configuration.user == "us@er")
        #expect(configuration.password == Secret("p:w:x"))
        #expect(configuration.database == 5)
        #expect(configuration.tls?.verifiesPeer == true)
    }

    @Test func readsTheNodesOfACluster() throws {
        let configuration = try RedisConfiguration(url: "redis+cluster://:word@a:1,b")
        #expect(configuration.isCluster && configuration.tls == nil)
        #expect(configuration.addresses == [.init(host: "a", port: 1), .init(host: "b", port: 6379)])
        #expect(configuration.user == nil && configuration.password == Secret("word"))
    }

    @Test(arguments: [
        "", "localhost:6379", "http://a", "redis://", "redis://a:0", "redis://a:70000", "redis://a:b", "redis://a/x",
        "redis://a/-1", "redis://a,b", "redis://u:%zz@a", "redis://[::1", "redis://::1", "redis+cluster://a/1",
    ])
    func refusesOtherURLs(_ url: String) {
        let error = #expect(throws: RedisError.self) { try RedisConfiguration(url: url) }
        #expect(error?.code == .misconfigured)
    }

    @Test func readsTheEnvironment() throws {
        let folder = TemporaryDirectory("redis")
        let authority = folder.write("ca.pem", content: "")
        var environment = EnvironmentReader([
            "CARILLON_REDIS": "rediss://app@redis.internal/1", "CARILLON_REDIS_PASSWORD": "word",
            "CARILLON_REDIS_CA_FILE": authority, "CARILLON_REDIS_COMMAND_DEADLINE": "250ms",
        ])
        let configuration = RedisConfiguration(environment: &environment)
        try environment.finish()
        #expect(configuration.user == "app" && configuration.password == Secret("word"))
        #expect(configuration.tls?.authorityFile == authority)
        #expect(configuration.commandDeadline == .milliseconds(250))
    }

    @Test func anAuthorityWithoutTLSIsAMistake() {
        let folder = TemporaryDirectory("redis")
        var environment = EnvironmentReader(["CARILLON_REDIS_CA_FILE": folder.write("ca.pem", content: "")])
        _ = RedisConfiguration(environment: &environment)
        #expect(environment.problems.map(\.variable) == ["CARILLON_REDIS_CA_FILE"])
    }

    @Test(arguments: [
        (["CARILLON_REDIS": "redis://app@a"], "CARILLON_REDIS"),
        (["CARILLON_REDIS": "rediss://a", "CARILLON_REDIS_CA_FILE": "/nowhere/ca.pem"], "CARILLON_REDIS_CA_FILE"),
        (["CARILLON_REDIS": "rediss://a", "CARILLON_REDIS_KEY_FILE": "/dev/null"], "CARILLON_REDIS_KEY_FILE"),
    ])
    func whatCannotWorkIsNamed(variables: [String: String], wrong: String) {
        var environment = EnvironmentReader(variables)
        _ = RedisConfiguration(environment: &environment)
        #expect(environment.problems.map(\.variable) == [wrong])
    }
}
