import ProviderKit
import PushModel
import ServiceKit
import Store
import TaskModel

/// Deletes the channels of one app whose activities are over, and compares Apple's list with the store's.
///
/// Several senders may do so at the same time: a channel that is to be deleted is marked first, so that no phone is told
/// of it any more, and deleted again by whichever sender finds the mark.
struct ChannelSweep: Sendable {
    /// Of one app in one environment.
    struct Count: Sendable, Equatable {
        var known = 0
        /// Ids at Apple that no activity has.
        var unknown: [String] = []
    }

    /// Channels looked at, or deleted, at the same time.
    private static let atOnceMaximum = 16
    private static let deletionsMaximum = 1_000
    private static let pageMaximum = 500

    let space: AppID
    let client: any ChannelAPI
    let store: any ChannelStore
    /// How long a channel is kept after the end of its activity.
    let retention: Duration
    let time: any TimeSource

    /// True if the app may have channels at Apple.
    func mayHaveChannels() async throws -> Bool {
        guard try await store.activities(after: nil, limit: 1, in: space).isEmpty else { return true }
        return try await !store.channels(in: space).isEmpty
    }

    /// Deletes channels of activities that ended long enough ago, or are forgotten. Returns how many.
    @discardableResult
    func deleteEnded() async throws -> Int {
        let known = Array(try await store.channels(in: space))
        let over = try await known.concurrentMap(atOnce: ChannelSweep.atOnceMaximum) { [self] place, channel in
            try await isOver(place.activity) || channel.isClosing ? (place, channel) : nil
        }.compactMap { $0 }
        let token = try await client.token()
        return try await Array(over.prefix(ChannelSweep.deletionsMaximum)).concurrentMap(
            atOnce: ChannelSweep.atOnceMaximum
        ) { [self] place, channel in
            try await delete(channel, at: place, token: token) ? 1 : 0
        }.reduce(0, +)
    }

    /// Nil if Apple does not answer. `known` are those of the store.
    func count(in environment: Device.Environment) async throws -> Count? {
        // Before the store: a channel is stored soon after it was made.
        guard case .done(let ids) = await client.list(in: environment, token: try await client.token()) else {
            return nil
        }
        let stored = Set(try await store.channels(in: space).values.compactMap { $0.id?.text })
        return Count(
            known: ids.count { stored.contains($0) }, unknown: ids.filter { !stored.contains($0) })
    }

    /// After a loss of the registry, channels are known from their activities only. Reads all activities of the app.
    func adopt(_ unknown: Set<String>, in environment: Device.Environment) async throws {
        var last: ActivityPlace?
        repeat {
            let page = try await store.activities(after: last, limit: ChannelSweep.pageMaximum, in: space)
            for place in page {
                let facts = try await store.facts(of: place.activity, in: space)
                let base = facts.flatMap { ActivityBase(decoding: $0.base.content) }
                guard let text = base?.channels[environment], unknown.contains(text),
                    let id = try? PushToken(.channel, text: text)
                else { continue }
                let place = ChannelPlace(place.activity, in: environment)
                _ = try await store.replace(nil, by: .open(id), of: place, in: space)
            }
            last = page.count == ChannelSweep.pageMaximum ? page.last : nil
        } while last != nil
    }

    /// Deletes a channel that no activity has.
    func delete(unknown id: String, in environment: Device.Environment) async throws -> Bool {
        guard let id = try? PushToken(.channel, text: id) else { return false }
        return await delete(id, in: environment, token: try await client.token())
    }

    private func isOver(_ activity: ActivityID) async throws -> Bool {
        guard let facts = try await store.facts(of: activity, in: space) else { return true }
        return facts.end.map { $0.time + retention <= time.now } ?? false
    }

    /// True if it is gone at Apple.
    private func delete(
        _ channel: ActivityChannel, at place: ChannelPlace, token: BearerToken?
    ) async throws -> Bool {
        guard let id = channel.id else {
            _ = try await store.replace(channel, by: nil, of: place, in: space)
            return false
        }
        let closing = ActivityChannel.closing(id)
        if channel != closing {
            guard try await store.replace(channel, by: closing, of: place, in: space) else { return false }
            // An activity of the same name may have been started since.
            guard try await isOver(place.activity) else {
                _ = try await store.replace(closing, by: channel, of: place, in: space)
                return false
            }
        }
        guard await delete(id, in: place.environment, token: token) else { return false }
        _ = try await store.replace(closing, by: nil, of: place, in: space)
        return true
    }

    private func delete(_ id: PushToken, in environment: Device.Environment, token: BearerToken?) async -> Bool {
        switch await client.delete(id, in: environment, token: token) {
        case .done: return true
        case .refused(let answer):
            if answer.verdict == .refreshAuthorization, let token { client.refuse(token) }
            return false
        case .unanswered: return false
        }
    }
}

/// What senders read and write about channels, and the activities they belong to.
typealias ChannelStore = Activities & ActivityChannels

extension ActivityChannel {
    fileprivate var isClosing: Bool {
        guard case .closing = self else { return false }
        return true
    }
}
