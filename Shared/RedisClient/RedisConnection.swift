import ServiceKit

/// One connection and its thread. The thread ends at the latest when this object is deallocated.
final class RedisConnection: Sendable {
    let channel: RedisChannel
    private let ended = OneTimeEvent()

    init(_ context: RedisConnectionContext) {
        let channel = RedisChannel(costMaximum: context.configuration.outstandingBytesMaximum)
        self.channel = channel
        // The thread holds the channel and not this object, whose `deinit` stops it.
        NativeThread(name: "redis-\(context.address.port)") { [ended] in
            RedisConnectionDriver(context, channel: channel).run()
            ended.happen()
        }.detach()
    }

    deinit {
        channel.close(aborting: true)
    }

    /// Completes submitted commands, within their deadlines and `limit` at most, then ends the thread.
    func close(within limit: Duration, time: any TimeSource) async {
        channel.close(aborting: false)
        if await ended.wait(atMost: limit, time: time) { return }
        channel.close(aborting: true)
        _ = await ended.wait(atMost: limit, time: time)
    }
}
