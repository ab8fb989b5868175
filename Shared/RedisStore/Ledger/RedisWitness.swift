import RedisClient
package import ServiceKit
package import Store
import Synchronization

/// Detects that Redis has come back with older data: after a failover that lost the last writes, or from a backup.
///
/// Every claim, and every process once a second, increments a count in Redis; each process remembers the highest count
/// it has received. Redis keeps the order of writes, so a count that is not higher than the remembered one proves that
/// writes are lost; a lost claim has lost its count too. The process that detects the loss raises the count so far that
/// all others see it jump, and stores the time: a new epoch begins.
///
/// The count is one key. In a cluster only the server that holds this key is watched.
package final class RedisWitness: LedgerWitness {
    private struct State {
        var count: Int64 = 0
        var epoch = LedgerEpoch.first
        var newerFormat: Int64?
    }

    /// More than the count can grow between two reads without a loss.
    private static let leap: Int64 = 1 << 32
    static let key: RedisArgument = "witness"
    /// Format of data without a version of its own that is read by scripts or together: plans, ledgers, claims,
    /// details, devices and segments of tasks. A release that changes one raises this number before it writes any.
    private static let format = 2
    /// The format of a new store: everything is readable for earlier versions until a device is deferred.
    private static let firstFormat = 1

    let redis: StoreConnection
    private let log: Log
    /// True if the store can be filled again from a bus.
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

    /// The format of the store if this version does not support it; such a store must not be changed.
    package var newerFormat: Int64? { state.withLock { $0.newerFormat } }

    /// The script that is sent directly after a claim.
    var raise: ScriptCall {
        ScriptCall(RedisWitness.raise, keys: [RedisWitness.key], arguments: [RedisArgument(RedisWitness.format)])
    }
    /// Replies to commands sent from now on must be higher than this count.
    var floor: Int64 { state.withLock { $0.count } }

    /// Processes the reply to a `raise` that was sent when `floor` was the highest known count.
    func note(_ answer: RedisValue, above floor: Int64) async throws(StoreError) {
        guard let count = answer.integer else {
            throw StoreError(.corrupt, message: "invalid reply: the witness has no count")
        }
        guard count > 0 else {
            state.withLock { $0.newerFormat = -count }
            throw StoreError(
                .refused, message: "Redis is kept in format \(-count), unknown to this version; start a newer one")
        }
        if count <= floor {
            try await readEpoch(proof: count, floor: floor)
        } else if floor == 0 || count - floor >= RedisWitness.leap / 2 || epoch.isDoubtful {
            try await readEpoch()
        } else {
            state.withLock { $0.count = max($0.count, count) }
        }
    }

    /// The caller invokes this once a second.
    package func tick() async throws(StoreError) {
        let floor = floor
        try await note(try await redis.run(raise), above: floor)
    }

    func refresh() async throws(StoreError) {
        try await readEpoch()
    }

    /// Reads the epoch. If the count is not above `floor`, begins a new epoch unless another process already has.
    private func readEpoch(proof: Int64 = 0, floor: Int64 = 0) async throws(StoreError) {
        let answer = try await redis.run(
            RedisWitness.read, keys: [RedisWitness.key],
            arguments: [
                "", RedisArgument(proof), RedisArgument(floor), RedisArgument(RedisWitness.leap), isRepairable ? 1 : 0,
                RedisArgument(RedisWitness.firstFormat),
            ])
        guard let fields = answer.array, fields.count == 4, let count = fields[1].integer, let began = fields[2].integer
        else { throw StoreError(.corrupt, message: "invalid reply from Redis: cannot decode the witness") }
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
                "Redis came back with older data, detected at \(began)", [.reason: RedisWitness.consequence(epoch)])
        }
    }

    private static func consequence(_ epoch: LedgerEpoch) -> String {
        epoch.isDoubtful
            ? "sending is stopped; run `carillon rebuild` to fill the store again"
            : "earlier tasks with at_most_once send nothing more; other earlier tasks may repeat pushes"
    }

    /// To be run before a device is deferred, which earlier versions would misread.
    static let raiseFormatOfDeferrals = ScriptCall(raiseFormat, keys: [key], arguments: [2])

    static let raise = RedisScript(PackageResources.raise_count_lua)

    static let raiseFormat = RedisScript(PackageResources.raise_format_lua)

    static let read = RedisScript(PackageResources.read_epoch_lua, using: .clock)
}
