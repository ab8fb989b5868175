import RedisClient
package import ServiceKit
package import Store
import Synchronization

/// Notices that Redis has come back with older data: by a failover that lost the last writes, or with a restored file.
///
/// A count in Redis is raised with every claim and each second by every process, which remembers the highest count it
/// was told. Redis keeps the order of writes, so that a count that is not higher than the one remembered proves that
/// writes are gone; a claim that is lost has lost its count with it. Whoever notices raises the count by so much that
/// all others see it jump, and notes when: a new epoch begins.
///
/// The count is in one key. Of a cluster only the server that has it is watched.
package final class RedisWitness: LedgerWitness {
    private struct State {
        var count: Int64 = 0
        var epoch = LedgerEpoch.first
        var newerFormat: Int64?
    }

    /// Further than counts go on by themselves between two looks.
    private static let leap: Int64 = 1 << 32
    static let key: RedisArgument = "witness"
    /// Of what has no version of its own and is read by scripts or together: plans, ledgers, claims, details, whom a task
    /// means, which segments it visits. A version of the product that changes one raises this before it writes any.
    private static let format = 1

    let redis: StoreConnection
    private let log: Log
    /// Whether there is a bus from which the store can be filled again.
    private let isRepairable: Bool
    private let noticed: Counter
    private let state = Mutex(State())

    package init(_ redis: StoreConnection, isRepairable: Bool, log: Log, metrics: Metrics) {
        self.redis = redis
        self.isRepairable = isRepairable
        self.log = log
        noticed = metrics.counter(.storeWentBack)
    }

    package var epoch: LedgerEpoch { state.withLock { $0.epoch } }

    /// The format in which the store is kept, where it is newer than any that is known here: nothing in it may be touched.
    package var newerFormat: Int64? { state.withLock { $0.newerFormat } }

    /// What goes to Redis right behind a claim.
    var raise: ScriptCall {
        ScriptCall(RedisWitness.raise, keys: [RedisWitness.key], arguments: [RedisArgument(RedisWitness.format)])
    }
    /// The count of which an answer to what is sent from now on must be higher.
    var floor: Int64 { state.withLock { $0.count } }

    /// Takes the answer to a `raise` that was sent when `floor` was the highest count known.
    func note(_ answer: RedisValue, above floor: Int64) async throws(StoreError) {
        guard let count = answer.integer else { throw StoreError(.corrupt, message: "the witness has no count") }
        guard count > 0 else {
            state.withLock { $0.newerFormat = -count }
            throw StoreError(.refused, message: "Redis is kept in format \(-count), which a newer version knows")
        }
        if count <= floor {
            try await look(proof: count, floor)
        } else if floor == 0 || count - floor >= RedisWitness.leap / 2 || epoch.isDoubtful {
            try await look()
        } else {
            state.withLock { $0.count = max($0.count, count) }
        }
    }

    /// To be called each second.
    package func tick() async throws(StoreError) {
        let floor = floor
        try await note(try await redis.run(raise), above: floor)
    }

    func refresh() async throws(StoreError) {
        try await look()
    }

    /// Reads the epoch. With a count that is not above `floor` it begins a new one, unless another process has.
    private func look(proof: Int64 = 0, _ floor: Int64 = 0) async throws(StoreError) {
        let answer = try await redis.run(
            RedisWitness.look, keys: [RedisWitness.key],
            arguments: [
                "", RedisArgument(proof), RedisArgument(floor), RedisArgument(RedisWitness.leap), isRepairable ? 1 : 0,
                RedisArgument(RedisWitness.format),
            ])
        guard let fields = answer.array, fields.count == 4, let count = fields[1].integer, let began = fields[2].integer
        else { throw StoreError(.corrupt, message: "the witness cannot be read") }
        let epoch = LedgerEpoch(
            began: began == 0 ? nil : Timestamp(milliseconds: began), isDoubtful: fields[3].integer == 1)
        let former = state.withLock { state in
            defer {
                state.count = max(state.count, count)
                state.epoch = epoch
            }
            return state.epoch
        }
        if fields[0].integer == 1 { noticed.increment() }
        if let began = epoch.began, former.began != began {
            log.error(
                "Redis came back with older data, noticed at \(began)", [.reason: RedisWitness.consequence(epoch)])
        }
    }

    private static func consequence(_ epoch: LedgerEpoch) -> String {
        epoch.isDoubtful
            ? "nothing is sent until `carillon rebuild` has filled it again"
            : "of tasks accepted before, those with at_most_once send nothing more; others may repeat pushes"
    }

    /// KEYS witness. ARGV the newest format that is known. Returns the count, or the store's format as a negative number
    /// where that is newer.
    private static let raise = RedisScript(
        """
        #!lua flags=allow-oom
        local format = tonumber(redis.call('HGET', KEYS[1], 'format') or 0)
        if format > tonumber(ARGV[1]) then return -format end
        return redis.call('HINCRBY', KEYS[1], 'count', 1)
        """)

    /// KEYS witness. ARGV now, the count that proved a loss or 0, the count that was known before, the leap, whether the
    /// store can be filled again, the format of a store that has none yet. Returns whether a new epoch begins, the count, when the epoch began or 0, and whether the
    /// store is doubtful.
    private static let look = RedisScript(
        "#!lua flags=allow-oom\n" + RedisClock.script + """
            redis.call('HSETNX', KEYS[1], 'format', ARGV[6])
            local count = tonumber(redis.call('HGET', KEYS[1], 'count') or 0)
            local proof, known, leap, begins = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), 0
            if proof > 0 and count - proof < leap / 2 then
              begins, count = 1, math.max(count, known) + leap
              redis.call('HSET', KEYS[1], 'count', string.format('%.0f', count), 'began', now)
              if ARGV[5] == '1' then redis.call('HSET', KEYS[1], 'doubtful', 1) end
            end
            local began = tonumber(redis.call('HGET', KEYS[1], 'began') or 0)
            return {begins, count, began, tonumber(redis.call('HGET', KEYS[1], 'doubtful') or 0)}
            """)
}
