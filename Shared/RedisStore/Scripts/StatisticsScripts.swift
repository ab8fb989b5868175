import RedisClient

/// Refused by a full Redis: pushes do not depend on statistics.
enum StatisticsScripts {
    static let fold = RedisScript(PackageResources.fold_tasks_lua, using: .clock, .statisticsBounds, .sums)
}
