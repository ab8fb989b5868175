import RedisClient
package import ServiceKit
package import Store
import Synchronization

/// Detects that Redis has come back with older data: after a failover that lost the last writes, or from a backup.
///
/// Every claim, and every process once a second, increments a count in Redis, which keeps beside it how far each process
/// has raised it. `WitnessMemory` says what proves that writes are lost; a lost claim has lost its count too. The process
/// that detects the loss raises the count so far that all others see it jump, and stores the time: a new epoch begins.
///
/// In a cluster only the server that holds these keys is watched.
package final class RedisWitness: LedgerWitness {
    private struct State {
        var memory = WitnessMemory(writer: .random(in: 0 ... .max))
        var newerFormat: Int64?
    }

    /// Processes whose counts Redis keeps; beyond, it forgets those that raised the count longest ago.
    static let writersMaximum = 1_024
    static let key: RedisArgument = "witness"
    /// Beside the other key in a cluster.
    private static let writersKey: RedisArgument = "{witness}:writers"
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
    private let ticks = GroupedCalls<Void, Void>()

    package init(_ redis: StoreConnection, isRepairable: Bool, log: Log, metrics: Metrics) {
        self.redis = redis
        self.isRepairable = isRepairable
        self.log = log
        noticed = metrics.counter(.storeWentBack)
    }

    package var epoch: LedgerEpoch { state.withLock { $0.memory.epoch } }

    /// The format of the store if this version does not support it; such a store must not be changed.
    package var newerFormat: Int64? { state.withLock { $0.newerFormat } }

    /// To be made before its `call` is sent, directly after a claim.
    var nextRaise: WitnessMemory.Raise { state.withLock { $0.memory.raise } }

    func call(of raise: WitnessMemory.Raise) -> ScriptCall {
        ScriptCall(
            RedisWitness.raise, keys: [RedisWitness.key, RedisWitness.writersKey],
            arguments: [RedisArgument(RedisWitness.format), RedisArgument(String(raise.writer))])
    }

    /// Processes the reply to the `call` of a raise.
    func note(_ reply: RedisValue, of raise: WitnessMemory.Raise) async throws(StoreError) {
        if let format = reply.integer {
            state.withLock { $0.newerFormat = -format }
            throw StoreError(
                .refused, message: "Redis is kept in format \(-format), unknown to this version; start a newer one")
        }
        guard let numbers = reply.array?.compactMap(\.integer), numbers.count == 2 else {
            throw StoreError(.corrupt, message: "invalid reply: the witness has no count")
        }
        let answer = WitnessMemory.Answer(count: numbers[0], before: numbers[1])
        switch state.withLock({ $0.memory.note(answer, of: raise) }) {
        case .asBefore: break
        case .mayHaveChanged: try await readEpoch()
        case .lost(let proof): try await readEpoch(proof: proof, floor: raise.floor)
        }
    }

    /// The caller invokes this once a second.
    package func tick() async throws(StoreError) {
        try await ticks.call(()) { callers in
            let result = await raiseOnce()
            return callers.map { result }
        }
    }

    private func raiseOnce() async -> Result<Void, StoreError> {
        let raise = nextRaise
        do throws(StoreError) {
            return .success(try await note(try await redis.run(call(of: raise)), of: raise))
        } catch {
            return .failure(error)
        }
    }

    func refresh() async throws(StoreError) {
        try await readEpoch()
    }

    /// Reads the epoch. If a count proves a loss, begins a new epoch unless another process already has.
    private func readEpoch(proof: Int64 = 0, floor: Int64 = 0) async throws(StoreError) {
        let answer = try await redis.run(
            RedisWitness.read, keys: [RedisWitness.key],
            arguments: [
                "", RedisArgument(proof), RedisArgument(floor), RedisArgument(WitnessMemory.leap), isRepairable ? 1 : 0,
                RedisArgument(RedisWitness.firstFormat),
            ])
        guard let fields = answer.array, fields.count == 4, let count = fields[1].integer, let began = fields[2].integer
        else { throw StoreError(.corrupt, message: "invalid reply from Redis: cannot decode the witness") }
        let epoch = LedgerEpoch(
            began: began == 0 ? nil : Timestamp(milliseconds: began), isDoubtful: fields[3].integer == 1)
        let former = state.withLock { $0.memory.learn(epoch, count: count) }
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

    static let raise = RedisScript(PackageResources.raise_count_lua, using: .witnessBounds)

    static let raiseFormat = RedisScript(PackageResources.raise_format_lua)

    static let read = RedisScript(PackageResources.read_epoch_lua, using: .clock)
}
