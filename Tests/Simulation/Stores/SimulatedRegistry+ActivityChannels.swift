import MemoryStore
import PushModel
import ServiceKit
import Store

extension SimulatedRegistry: ActivityChannels {
    func channel(of place: ChannelPlace, in space: AppID) async throws(StoreError) -> ActivityChannel? {
        try await seam.call("registry.channel") { try await base.channel(of: place, in: space) }
    }

    func replace(_ channel: ActivityChannel?, by next: ActivityChannel?, of place: ChannelPlace, in space: AppID)
        async throws(StoreError) -> Bool
    {
        try await seam.call("registry.replace") {
            if seam.seam.world.bug == .channelForgotten, channel == nil, next?.id != nil { return true }
            if seam.seam.world.bug == .lostChannelKept, channel?.id != nil, next == .refused { return true }
            return try await base.replace(channel, by: next, of: place, in: space)
        }
    }

    func channels(in space: AppID) async throws(StoreError) -> [ChannelPlace: ActivityChannel] {
        try await seam.call("registry.channels") { try await base.channels(in: space) }
    }

    func reserve(_ place: ChannelPlace, for time: Duration, in space: AppID) async throws(StoreError) -> Bool {
        try await seam.call("registry.reserve") { try await base.reserve(place, for: time, in: space) }
    }

    func giveBack(_ place: ChannelPlace, in space: AppID) async throws(StoreError) {
        try await seam.call("registry.giveBack") { try await base.giveBack(place, in: space) }
    }
}
