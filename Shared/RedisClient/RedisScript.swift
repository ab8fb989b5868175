/// A Lua script, identified by the SHA-1 digest of its source.
package struct RedisScript: Sendable {
    package let source: String
    /// 40 lower-case hexadecimal digits.
    package let sha1: String

    package init(_ source: String) {
        self.source = source
        sha1 = SHA1.hexadecimal(Array(source.utf8))
    }

    /// `EVALSHA`, for pipelines. A server that does not have the script replies `NOSCRIPT`.
    package func command(keys: [RedisArgument], arguments: [RedisArgument]) -> RedisCommand {
        RedisCommand(["EVALSHA", RedisArgument(sha1), RedisArgument(keys.count)] + keys + arguments)
    }

    /// `EVAL`, which also loads the script.
    package func wholeCommand(keys: [RedisArgument], arguments: [RedisArgument]) -> RedisCommand {
        RedisCommand(["EVAL", RedisArgument(source), RedisArgument(keys.count)] + keys + arguments)
    }
}
