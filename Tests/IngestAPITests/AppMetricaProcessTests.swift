import JSONKit
import ServiceKit
import TestSupport
import Testing
import Topics

/// AppMetrica's groups with the real program, a real Redis, and both buses.
@Suite(.timeLimit(.minutes(5))) struct AppMetricaProcessTests {
    private static let groups = "/push/v1/management/groups"

    /// Goal: groups survive a crash, are seen by every process, and one of many creations at once wins. Method: two
    /// processes create groups of the same names alternately; one is killed.
    @Test(arguments: [false, true])
    func groupsAreDurable(isKafka: Bool) async throws {
        let kafka = isKafka ? try await KafkaMockServer(brokers: 1) : nil
        try await kafka?.perform("create topic registry \(Topics.registry.declaration.partitions.kafka)")
        var options = RedisServer.Options()
        options.isDurable = true
        let redis = try await RedisServer(options)
        let first = try await IngestProcess(redis: redis.url, bus: kafka?.url, appmetrica: 7)
        let second = try await IngestProcess(redis: redis.url, bus: kafka?.url, beside: first)
        @Sendable func create(_ name: String, at api: IngestProcess) async throws -> Int {
            let body = #"{"group":{"app_id":7,"name":"\#(name)"}}"#
            return try await api.settledCurl("POST", Self.groups, body: body, json: true).status
        }
        #expect([200, 409].contains(try await create("first", at: first)))
        let statuses = try await Array(0..<12).concurrentMap(atOnce: 12) { number in
            try await create("second", at: number % 2 == 0 ? first : second)
        }
        let created = statuses.count { $0 == 200 }
        #expect(statuses.allSatisfy { [200, 409].contains($0) }, "\(statuses)")
        // Over Kafka, the attempt that wins may end at the journal's time limit; its repetition finds the group.
        #expect(created == 1 || isKafka && created == 0, "\(statuses)")
        try await first.killAndRestart()
        for api in [first, second] {
            let list = try await api.curl("GET", "\(Self.groups)?app_id=7")
            let names = list.json["groups"]?.elements?.compactMap { $0["name"]?.text }
            #expect(names?.sorted() == ["first", "second"], "\(list.text)")
        }
        #expect(await first.stop() == .exited(0))
        #expect(await second.stop() == .exited(0))
    }
}
