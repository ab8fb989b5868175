import ServiceKit

/// A Lua script, identified by the SHA-1 digest of its source.
package struct RedisScript: Sendable {
    package let source: [UInt8]
    /// 40 lower-case hexadecimal digits.
    package let sha1: String

    /// The libraries are inserted after the first line of the file, which names the script's flags and must stay first.
    package init(_ file: [UInt8], using libraries: ScriptLibrary...) {
        let end = file.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? file.count
        var source = file
        source.insert(contentsOf: libraries.flatMap(\.source), at: end)
        self.source = source
        sha1 = Hexadecimal.encode(SHA1.digest(source))
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
