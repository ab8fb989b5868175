import ServiceKit

/// One connection and its thread. The thread ends when this object goes, if it was not closed before.
final class RedisConnection: Sendable {
    let channel: RedisChannel
    private let ended = OneTimeEvent()

    init(_ context: RedisConnectionContext) {
        let channel = RedisChannel(costMaximum: context.configuration.outstandingBytesMaximum)
        self.channel = channel
        // The thread holds the channel and not this object, whose end is what stops it.
        NativeThread(name: "redis-\(context.address.port)") { [ended] in
            RedisConnectionDriver(context, channel: channel).run()
            ended.happen()
        }.detach()
    }

    deinit {
        channel.close(aborting: true)
    }

    /// Answers what was submitted, within the deadlines of the commands and `limit` at most, then ends the thread.
    func close(within limit: Duration, time: any TimeSource) async {
        channel.close(aborting: false)
        if await ended.wait(atMost: limit, time: time) { return }
        channel.close(aborting: true)
        _ = await ended.wait(atMost: limit, time: time)
    }
}
