package import PushModel
import RedisClient
import ServiceKit
package import Store

extension RedisRegistry: ActivityChannels {
    package func channel(of place: ChannelPlace, in space: AppID) async throws(StoreError) -> ActivityChannel? {
        try await within(space) { scope in
            let value = try await read([RedisArgument(place.name)], of: \.activityChannels, in: scope).first
            guard let value, !value.isNull else { return nil }
            return try RedisRegistry.channel(value)
        }
    }

    package func replace(
        _ channel: ActivityChannel?, by next: ActivityChannel?, of place: ChannelPlace, in space: AppID
    ) async throws(StoreError) -> Bool {
        try await within(space) { scope in
            try await replace(
                RedisArgument(place.name), RedisArgument(channel?.text ?? ""), by: RedisArgument(next?.text ?? ""),
                of: \.activityChannels, in: scope)
        }
    }

    package func channels(in space: AppID) async throws(StoreError) -> [ChannelPlace: ActivityChannel] {
        try await within(space) { scope in
            let fields = try await read([], of: \.activityChannels, in: scope)
            var channels: [ChannelPlace: ActivityChannel] = [:]
            for position in stride(from: 0, to: fields.count - 1, by: 2) {
                guard let place = fields[position].string.flatMap({ ChannelPlace(name: $0) }) else {
                    throw RedisRegistry.corruptChannel
                }
                channels[place] = try RedisRegistry.channel(fields[position + 1])
            }
            return channels
        }
    }

    package func reserve(
        _ place: ChannelPlace, for time: Duration, in space: AppID
    ) async throws(StoreError) -> Bool {
        let key = SegmentKeys(SegmentID(space, number: RegistryChange.ofApp.segment)).channelReservation(place)
        let reply = try await redis.send(
            RedisCommand("SET", key, "1", "NX", "PX", RedisArgument(time.wholeMilliseconds)))
        return !reply.isNull
    }

    package func giveBack(_ place: ChannelPlace, in space: AppID) async throws(StoreError) {
        let key = SegmentKeys(SegmentID(space, number: RegistryChange.ofApp.segment)).channelReservation(place)
        _ = try await redis.send(RedisCommand("DEL", key))
    }

    private static func channel(_ value: RedisValue) throws(StoreError) -> ActivityChannel {
        guard let channel = value.string.flatMap({ ActivityChannel(text: $0) }) else { throw corruptChannel }
        return channel
    }

    private static var corruptChannel: StoreError {
        StoreError(.corrupt, message: "invalid data in Redis: cannot decode the channel of an activity")
    }
}
