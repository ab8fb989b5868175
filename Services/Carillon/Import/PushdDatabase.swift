import PushModel
import RedisClient
import ServiceKit
import Store

/// Reads pushd's Redis:
///
/// | Key | Content |
/// |---|---|
/// | `subscribers` | sorted set of the ids, with the score 0 |
/// | `subscriber:ID` | hash of the subscriber's fields |
/// | `subscriber:ID:evts` | sorted set of its events, with the options as score |
/// | `tokenmap` | hash of `PROTOCOL:TOKEN` to the id |
/// | `event:NAME` | hash: `created`, and after the first publication `total` and `last` |
///
/// `event:NAME:subs`, the subscribers of an event, and `events`, the names of all, repeat what these say.
///
/// Nothing is written, and each command reads a bounded amount.
struct PushdDatabase: Sendable {
    let client: RedisClient
    /// Address and database, without credentials.
    let address: String

    /// The number of subscribers. Throws if the database is not one of pushd's.
    func count() async throws -> Int {
        let counts = try await send([
            RedisCommand("ZCARD", "subscribers"), RedisCommand("ZCOUNT", "subscribers", "-inf", "(0"),
            RedisCommand("ZCOUNT", "subscribers", "(0", "+inf"),
        ]).map { $0.integer ?? 0 }
        guard counts[0] > 0 else {
            throw ImportError("\(address) has no subscribers of pushd; check the number of the database in the URL")
        }
        // Pages follow the order of the ids, which Redis has only among equal scores.
        guard counts[1] == 0, counts[2] == 0 else {
            throw ImportError("\(address) is not pushd's: scores of `subscribers` differ from 0")
        }
        return Int(counts[0])
    }

    /// The ids that follow in their order; empty after the last. New subscribers do not shift a page.
    func ids(after last: [UInt8]?, limit: Int) async throws -> [[UInt8]] {
        let start = last.map { [UInt8(ascii: "(")] + $0 } ?? [UInt8(ascii: "-")]
        let reply = try await send([
            RedisCommand(
                "ZRANGEBYLEX", "subscribers", RedisArgument(start), "+", "LIMIT", 0, RedisArgument(limit))
        ])
        return reply[0].array?.compactMap(\.bytes) ?? []
    }

    /// The subscribers in the order of the ids.
    func subscribers(_ ids: [[UInt8]]) async throws -> [PushdSubscriber] {
        let most = RegistryBounds.subscriptionsMaximum
        let fields = PushdSubscriber.fieldNames.map { RedisArgument($0) }
        let replies = try await send(
            ids.flatMap { id in
                let key = Array("subscriber:".utf8) + id
                let events = RedisArgument(key + Array(":evts".utf8))
                return [
                    RedisCommand(["HMGET", RedisArgument(key)] + fields),
                    RedisCommand("ZRANGE", events, 0, RedisArgument(most), "WITHSCORES"),
                ]
            })
        var subscribers: [PushdSubscriber] = []
        for (place, id) in ids.enumerated() {
            let pairs = replies[2 * place + 1].array ?? []
            let events = stride(from: 0, to: pairs.count - 1, by: 2).compactMap { at in
                pairs[at].bytes.map { (name: $0, options: Int(pairs[at + 1].integer ?? 0)) }
            }
            let count = events.count > most ? try await eventCount(of: id) : events.count
            subscribers.append(
                PushdSubscriber(
                    id: id, values: (replies[2 * place].array ?? []).map(\.bytes), events: Array(events.prefix(most)),
                    eventCount: count))
        }
        return subscribers
    }

    /// For each field of the map from tokens the id that it names.
    func holders(_ tokenFields: [[UInt8]]) async throws -> [[UInt8]?] {
        guard !tokenFields.isEmpty else { return [] }
        let reply = try await send([
            RedisCommand(["HMGET", "tokenmap"] + tokenFields.map { RedisArgument($0) })
        ])
        guard let holders = reply[0].array, holders.count == tokenFields.count else {
            throw ImportError("\(address) is not pushd's: unexpected content of `tokenmap`")
        }
        return holders.map(\.bytes)
    }

    /// For each id true if there is a subscriber with it: the map keeps tokens of subscribers that are gone.
    func exist(_ ids: [[UInt8]]) async throws -> [Bool] {
        try await send(ids.map { RedisCommand("ZSCORE", "subscribers", RedisArgument($0)) }).map { !$0.isNull }
    }

    /// What pushd has counted of events; those without statistics are left out.
    func counts(of topics: [TopicName]) async throws -> [TopicName: TopicCount] {
        let replies = try await send(
            topics.map { RedisCommand("HMGET", RedisArgument("event:\($0)"), "created", "total", "last") })
        var counts: [TopicName: TopicCount] = [:]
        for (topic, reply) in zip(topics, replies) {
            let numbers = (reply.array ?? []).map(\.integer)
            guard numbers.count == 3, let created = numbers[0].flatMap(Timestamp.init(pushd:)) else { continue }
            counts[topic] = TopicCount(
                created: created, publications: max(0, numbers[1] ?? 0),
                last: numbers[2].flatMap(Timestamp.init(pushd:)))
        }
        return counts
    }

    private func eventCount(of id: [UInt8]) async throws -> Int {
        let key = Array("subscriber:".utf8) + id + Array(":evts".utf8)
        return Int(try await send([RedisCommand("ZCARD", RedisArgument(key))])[0].integer ?? 0)
    }

    /// Reading may be repeated, so that every outage can be waited out.
    private func send(_ commands: [RedisCommand]) async throws -> [RedisValue] {
        var values: [RedisValue] = []
        values.reserveCapacity(commands.count)
        for result in await client.send(commands) {
            do throws(RedisError) {
                values.append(try result.get())
            } catch {
                switch error.code {
                case .unknown, .closed: throw StoreError(.unavailable, message: "\(address): \(error)")
                case _ where error.isRetriable: throw StoreError(.unavailable, message: "\(address): \(error)")
                default: throw ImportError("\(address): \(error)")
                }
            }
        }
        return values
    }
}

struct ImportError: Error, Equatable, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

extension Timestamp {
    /// Seconds since 1970, as pushd stores them.
    fileprivate init?(pushd seconds: Int64) {
        guard (1...Int64(UInt32.max)).contains(seconds) else { return nil }
        self.init(milliseconds: seconds * 1_000)
    }
}
