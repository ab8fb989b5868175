import RedisClient
import ServiceKit
package import Store

extension RedisWitness: StoreDoubt {
    package func currentEpoch() async throws(StoreError) -> LedgerEpoch {
        try await refresh()
        return epoch
    }

    package func removeWork() async throws(StoreError) {
        let families =
            LedgerKeys.families + RetryIndexKeys.families + ReplacementKeys.families + UserMomentKeys.families
            + [RedisTaskAgenda.name, TaskArchiveKeys.scheduledFamily]
        try await KeyScan(redis: redis, families: Set(families)).visit { keys throws(StoreError) in
            _ = try await redis.send(keys.map { RedisCommand("UNLINK", RedisArgument($0)) })
            return true
        }
    }

    package func trust(in epoch: LedgerEpoch) async throws(StoreError) -> Bool {
        // A loss that no process has noticed yet begins its epoch now.
        try await tick()
        let answer = try await redis.run(
            RedisWitness.endDoubt, keys: [RedisWitness.key],
            arguments: [RedisArgument(epoch.began?.milliseconds ?? 0)])
        try await refresh()
        return answer.integer == 1
    }

    static let endDoubt = RedisScript(PackageResources.end_doubt_lua)
}
