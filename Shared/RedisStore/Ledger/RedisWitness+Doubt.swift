import RedisClient
package import Store

extension RedisWitness: StoreDoubt {
    package func isDoubtful() async throws(StoreError) -> Bool {
        try await refresh()
        return epoch.isDoubtful
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

    package func trust() async throws(StoreError) {
        _ = try await redis.send(RedisCommand("HDEL", RedisWitness.key, "doubtful"))
        try await refresh()
    }
}
