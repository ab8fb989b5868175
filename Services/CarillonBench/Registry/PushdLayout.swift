import PushModel
import RedisClient
import ServiceKit

/// The same devices in pushd's layout: a hash for each subscriber, a sorted set of all of them, a sorted set for each
/// event and one for each subscriber, and a map from tokens to ids.
struct PushdLayout {
    let client: RedisClient

    func fill(devices: Int) async throws {
        for start in stride(from: 0, to: devices, by: 500) {
            let commands = (start..<min(start + 500, devices)).flatMap { self.commands(for: SyntheticDevice($0)) }
            for answer in await client.send(commands) { _ = try answer.get() }
        }
    }

    private func commands(for device: SyntheticDevice) -> [RedisCommand] {
        // pushd's ids have eleven characters.
        let id = String(SeededRandomSource(seed: UInt64(device.number) | 1 << 40).hexadecimal().prefix(11))
        let kind = device.kind == .apns ? "apns" : "gcm"
        var commands = [
            RedisCommand(
                "HSET", "subscriber:\(id)", "proto", RedisArgument(kind), "token", RedisArgument(device.tokenText),
                "lang", RedisArgument(device.language), "badge", RedisArgument(Int(device.badge)), "created",
                "1332953375", "updated", "1332953375"),
            RedisCommand("ZADD", "subscribers", "0", RedisArgument(id)),
            RedisCommand("HSET", "tokenmap", RedisArgument("\(kind):\(device.tokenText)"), RedisArgument(id)),
        ]
        for topic in device.topics {
            commands.append(RedisCommand("ZADD", "subscriber:\(id):evts", "0", RedisArgument(topic)))
            commands.append(RedisCommand("ZADD", "event:\(topic):subs", "0", RedisArgument(id)))
        }
        return commands
    }
}
