import ServiceKit

extension RedisCommand {
    /// The same command, routed in a cluster to the server of this key. Needed only if `routingKey` cannot find it.
    package func routed(by key: RedisArgument) -> RedisCommand {
        var command = self
        command.explicitKey = key.bytes
        return command
    }

    /// The key that decides the command's server in a cluster; nil if any server will do. Found in the encoded bytes,
    /// so that clients of a single server pay nothing for it.
    var routingKey: [UInt8]? {
        if let explicitKey { return explicitKey }
        let parts = decodedParts
        let name = OutsideText.replacing(parts[0]).uppercased()
        switch name {
        case "PING", "INFO", "TIME", "CLUSTER", "CONFIG", "CLIENT", "SCRIPT", "FUNCTION", "WAIT", "SCAN", "DBSIZE",
            "KEYS", "PUBLISH", "FLUSHALL", "FLUSHDB", "ASKING", "MULTI", "EXEC":
            return nil
        case "EVAL", "EVALSHA", "FCALL", "EVAL_RO", "EVALSHA_RO", "FCALL_RO":
            let hasKeys = parts.count > 3 && parts[2] != [UInt8(ascii: "0")]
            return hasKeys ? parts[3] : nil
        case "XREAD", "XREADGROUP":
            let streams = parts.firstIndex { OutsideText.replacing($0).uppercased() == "STREAMS" }
            return streams.flatMap { $0 + 1 < parts.count ? parts[$0 + 1] : nil }
        case "XGROUP", "XINFO", "OBJECT", "MEMORY", "BITOP":
            return parts.count > 2 ? parts[2] : nil
        default:
            return parts.count > 1 ? parts[1] : nil
        }
    }

    /// The arguments, decoded from what `init` encoded.
    private var decodedParts: [[UInt8]] {
        var parts: [[UInt8]] = []
        var rest = encoded[...]
        var missing = RedisCommand.takeLength(&rest)
        while missing > 0 {
            let count = RedisCommand.takeLength(&rest)
            parts.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count + 2)
            missing -= 1
        }
        return parts
    }

    /// Reads a type byte, a number and the line end.
    private static func takeLength(_ rest: inout ArraySlice<UInt8>) -> Int {
        var length = 0
        rest = rest.dropFirst()
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\r") {
            length = length * 10 + Int(byte - UInt8(ascii: "0"))
        }
        rest = rest.dropFirst()
        return length
    }
}
