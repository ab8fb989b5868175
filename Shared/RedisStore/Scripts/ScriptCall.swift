import RedisClient

/// A script with what it is run on.
struct ScriptCall: Sendable {
    let script: RedisScript
    let keys: [RedisArgument]
    let arguments: [RedisArgument]

    init(_ script: RedisScript, keys: [RedisArgument], arguments: [RedisArgument]) {
        self.script = script
        self.keys = keys
        self.arguments = arguments
    }

    var command: RedisCommand { script.command(keys: keys, arguments: arguments) }
    var wholeCommand: RedisCommand { script.wholeCommand(keys: keys, arguments: arguments) }
}
