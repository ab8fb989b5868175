import PushModel
import RedisClient
import RedisStore
import ServiceKit
import Store
import TestSupport
import Testing

/// A subscriber of pushd, derived from a number: the protocols, fields, subscriptions and options vary.
struct SampleSubscriber {
    let number: Int

    /// As long as pushd's, and in another order than the numbers.
    var id: String { String(SeededRandomSource(seed: UInt64(number) &* 7_919).hexadecimal().prefix(11)) }
    var proto: String { ["apns", "gcm", "c2dm", "fcm"][number % 4] }
    var token: String {
        let digits = String(SeededRandomSource(seed: UInt64(number)).hexadecimal()) + String(number, radix: 16)
        return String(repeating: "a", count: 64 - digits.utf8.count) + digits
    }
    var created: UInt32 { 1_332_953_375 + UInt32(number) }
    var updated: UInt32 { created + UInt32(number % 3) }
    var badge: UInt32? { number % 3 == 0 ? UInt32(number) : nil }
    var language: String? { number % 2 == 0 ? "fr_CA" : nil }

    var fields: [String: String] {
        var fields = ["proto": proto, "token": token, "created": "\(created)", "updated": "\(updated)"]
        fields["badge"] = badge.map { "\($0)" }
        fields["lang"] = language
        if number % 5 == 0 {
            fields.merge(["version": "7.5", "category": "show", "contentAvailable": "true"]) { $1 }
        }
        return fields
    }

    /// Event and options.
    var events: [String: Int] {
        var events: [String: Int] = [:]
        for place in 0..<(number % 4) { events["user.newVideo:\((number + place) % 10)"] = (number + place) % 2 }
        return events
    }
}

/// A Redis as pushd fills it.
struct PushdFixture: Sendable {
    let server: RedisServer

    init(isDurable: Bool = false) async throws {
        var options = RedisServer.Options()
        options.isDurable = isDurable
        server = try await RedisServer(options)
    }

    var url: String { server.url + "/0" }

    @discardableResult func command(_ parts: String...) async throws -> RedisValue {
        try await withClient { try await $0.send(RedisCommand(parts.map { RedisArgument($0) })) }
    }

    func add(_ numbers: Range<Int>) async throws {
        let samples = numbers.map { SampleSubscriber(number: $0) }
        try await send(samples.flatMap { commands($0.id, fields: $0.fields, events: $0.events) })
    }

    func add(_ id: String, fields: [String: String], events: [String: Int] = [:]) async throws {
        try await send(commands(id, fields: fields, events: events))
    }

    /// Those of a registration and of each subscription.
    private func commands(_ id: String, fields: [String: String], events: [String: Int]) -> [RedisCommand] {
        var commands = [RedisCommand("ZADD", "subscribers", 0, RedisArgument(id))]
        if let proto = fields["proto"], let token = fields["token"] {
            commands.append(RedisCommand("HSETNX", "tokenmap", RedisArgument("\(proto):\(token)"), RedisArgument(id)))
        }
        if !fields.isEmpty {
            commands.append(
                RedisCommand(
                    ["HSET", RedisArgument("subscriber:\(id)")]
                        + fields.flatMap { [RedisArgument($0.key), RedisArgument($0.value)] }))
        }
        for (event, options) in events {
            commands += [
                RedisCommand(
                    "ZADD", RedisArgument("subscriber:\(id):evts"), RedisArgument(options), RedisArgument(event)),
                RedisCommand("ZADD", RedisArgument("event:\(event):subs"), RedisArgument(options), RedisArgument(id)),
                RedisCommand("HSETNX", RedisArgument("event:\(event)"), "created", "1332953375"),
                RedisCommand("SADD", "events", RedisArgument(event)),
            ]
        }
        return commands
    }

    /// Changes since the start of the server.
    func changes() async throws -> String? {
        let text = try await command("INFO", "persistence").string ?? ""
        return text.split(whereSeparator: \.isNewline).first { $0.hasPrefix("rdb_changes_since_last_save:") }
            .map(String.init)
    }

    private func send(_ commands: [RedisCommand]) async throws {
        try await withClient { client in
            for part in commands.chunks(of: 1_000) {
                for answer in await client.send(Array(part)) { _ = try answer.get() }
            }
        }
    }

    private func withClient<Result: Sendable>(_ body: (RedisClient) async throws -> Result) async throws -> Result {
        let client = RedisClient(
            try RedisConfiguration(url: server.url), log: Log(service: "test", level: .error), metrics: Metrics())
        let result = try await body(client)
        await client.close()
        return result
    }
}

extension RedisRegistry {
    /// Expects the devices of the subscribers, exactly as pushd had them.
    func expect(_ numbers: Range<Int>, in app: AppID) async throws {
        #expect(try await size(of: .everyone, in: app) == numbers.count)
        for number in numbers {
            let sample = SampleSubscriber(number: number)
            let kind = try #require(PushProtocol(name: sample.proto))
            let token = try PushToken(kind, text: sample.token)
            let id = try #require(try await device(of: token, in: app), "subscriber \(number) is missing")
            let found = try #require(try await device(id, in: app))
            #expect(found.device.created == sample.created)
            #expect(found.device.updated == sample.updated)
            #expect(found.device.language == sample.language)
            #expect(found.device.category == sample.fields["category"])
            #expect(found.device.version == sample.fields["version"])
            #expect(found.device.contentAvailable == (sample.fields["contentAvailable"] == nil ? nil : true))
            #expect(found.badge == sample.badge)
            var topics: [TopicName: SubscriptionOptions] = [:]
            for (event, options) in sample.events { topics[try TopicName(event)] = options == 1 ? .ignoreMessage : [] }
            #expect(try await subscriptions(of: id, in: app) == topics, "subscriber \(number)")
        }
    }
}
