import PushModel
import RedisClient

/// All keys of replacements.
enum ReplacementKeys {
    /// The parts of the key names before the first colon, of what must be built again after the store lost writes.
    static let families = ["replaces", "staged", "swaps"]

    /// A sorted set: all swaps under way, by the time of their check.
    static let swaps = RedisArgument("swaps")

    /// A hash. The name ends with the key, which may have braces: a part of it may be the hash tag.
    static func pointer(_ key: ReplacementKey) -> RedisArgument { RedisArgument("replaces:\(key.app):\(key.text)") }

    /// The content of a task that does not count yet.
    static func staged(_ task: TaskID) -> RedisArgument { RedisArgument("staged:{\(task.key)}") }

    static func successor(_ task: TaskID) -> RedisArgument { RedisArgument("replaced:{\(task.key)}") }
}
