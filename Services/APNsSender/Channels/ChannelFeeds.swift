import HTTP2
import ProviderKit
import PushModel
import ServiceKit
import Store
import Synchronization
import TaskModel
import Topics

/// Decides where the phones of an app's started activities get their updates from, and makes a channel before the first
/// phone is told of it. One for each gateway.
///
/// Of several senders one makes the channel; pushes of the others are held back until it is stored. A process that dies
/// between Apple's answer and the store leaves a channel that no activity has.
final class ChannelFeeds: Sendable {
    enum Decision: Sendable {
        /// A member of `aps`.
        case feed(String)
        /// Of the pushes, which are not sent now.
        case outcome(PushOutcome)
    }

    private struct Known {
        let feed: String
        let readAt: Duration
    }

    private struct State {
        var known = RecentlyUsed<ChannelPlace, Known>(costMaximum: ChannelFeeds.knownMaximum)
        var running: [ChannelPlace: Task<Decision, Never>] = [:]
        /// After Apple failed to make a channel, no further one is asked for until then.
        var failure: (end: Duration, reason: String)?
        /// Of the sweep after Apple had no room for a further channel.
        var sweeping = Sweeping.none
    }

    private enum Sweeping {
        case none
        case running
        case ended(Duration)
    }

    private static let knownMaximum = 1_024
    /// Apple's reason if an app has as many channels as it may have.
    private static let full = "CannotCreateChannelConfig"
    /// For how long a sweep counts: with no room after it, there is none.
    private static let sweepAge = Duration.seconds(60)
    /// For how long a feed is used without asking the store: the batches of a start follow one another.
    private static let age = Duration.seconds(1)
    /// While another sender makes the channel, or the store does not answer.
    private static let shortPause = Duration.seconds(1)
    /// While Apple does not make channels.
    private static let longPause = Duration.seconds(5)
    /// For a slow store, added to Apple's time.
    private static let reservationMargin = Duration.seconds(5)

    private let sweep: ChannelSweep
    private let log: Log
    private let state = Mutex(State())

    private var space: AppID { sweep.space }
    private var client: any ChannelAPI { sweep.client }
    private var channels: any ChannelStore { sweep.store }

    init(_ sweep: ChannelSweep, log: Log) {
        self.sweep = sweep
        self.log = log
    }

    /// A broadcast tells if its channel was deleted.
    func noteLost(_ pushes: [Push], outcomes: [PushOutcome]) async {
        for (push, outcome) in zip(pushes, outcomes) where push.content.variant.kind == .channel {
            guard case .answered(let answer) = outcome, answer.reason == ChannelClient.unknownChannel,
                let place = ChannelPlace(of: push)
            else { continue }
            await lose(push.token, at: place)
        }
    }

    /// Apple does not know the channel any more: phones that start the activity from now on get tokens. The others cannot
    /// be told.
    private func lose(_ text: String, at place: ChannelPlace) async {
        guard let id = try? PushToken(.channel, text: text) else { return }
        do {
            guard try await channels.replace(.open(id), by: .refused, of: place, in: space) else { return }
        } catch {
            return log.warning(
                "a lost channel not forgotten; the next update repeats it",
                [.app: space.owner.text, .channel: text, .error: "\(error)"])
        }
        state.withLock { $0.known.remove(place) }
        log.warning(
            "an activity's channel does not exist at Apple any more; phones that start it from now on get tokens",
            [.app: space.owner.text, .channel: text])
    }

    /// All pushes that start an activity at the same time wait for one decision.
    func decision(at place: ChannelPlace, token: BearerToken?) async -> Decision {
        let (known, running) = state.withLock { state -> (String?, Task<Decision, Never>?) in
            if let known = state.known.value(for: place), sweep.time.uptime - known.readAt < ChannelFeeds.age {
                return (known.feed, nil)
            }
            if let running = state.running[place] { return (nil, running) }
            let task = Task { await self.decideAlone(at: place, token: token) }
            state.running[place] = task
            return (nil, task)
        }
        if let known { return .feed(known) }
        return await running?.value ?? .feed(ActivityFeed.tokens)
    }

    private func decideAlone(at place: ChannelPlace, token: BearerToken?) async -> Decision {
        let decision: Decision
        do {
            decision = try await decide(at: place, token: token)
        } catch {
            decision = .outcome(.heldBack(ChannelFeeds.shortPause, reason: "the store of channels: \(error)"))
        }
        state.withLock { state in
            state.running[place] = nil
            guard case .feed(let feed) = decision else { return }
            state.known.set(Known(feed: feed, readAt: sweep.time.uptime), for: place)
        }
        return decision
    }

    private func decide(at place: ChannelPlace, token: BearerToken?) async throws -> Decision {
        if let known = try await stored(at: place) { return known }
        if let pause = pause { return pause }
        let time = client.limit + ChannelFeeds.reservationMargin
        guard try await channels.reserve(place, for: time, in: space) else {
            return .outcome(.heldBack(ChannelFeeds.shortPause, reason: "another sender makes the activity's channel"))
        }
        // The sender that had reserved it before may have stored it.
        var decision = try await stored(at: place)
        if decision == nil { decision = try await make(at: place, token: token) }
        try await channels.giveBack(place, in: space)
        return decision ?? .feed(ActivityFeed.tokens)
    }

    /// Nil if nothing is known. After a loss of the registry the channel is known from the activity itself.
    private func stored(at place: ChannelPlace) async throws -> Decision? {
        if let channel = try await channels.channel(of: place, in: space) { return ChannelFeeds.decision(channel) }
        let base = try await channels.facts(of: place.activity, in: space).flatMap {
            ActivityBase(decoding: $0.base.content)
        }
        guard let text = base?.channels[place.environment], let id = try? PushToken(.channel, text: text) else {
            return nil
        }
        _ = try await channels.replace(nil, by: .open(id), of: place, in: space)
        return try await channels.channel(of: place, in: space).map { ChannelFeeds.decision($0) }
    }

    private static func decision(_ channel: ActivityChannel) -> Decision {
        switch channel {
        case .open(let id): .feed(ActivityFeed.channel(id))
        case .closing: .outcome(.heldBack(longPause, reason: "the activity's former channel is being deleted"))
        case .refused: .feed(ActivityFeed.tokens)
        }
    }

    private func make(at place: ChannelPlace, token: BearerToken?) async throws -> Decision {
        switch await client.create(in: place.environment, token: token) {
        case .done(let id): return try await keep(id, at: place, token: token)
        case .unanswered(let reason): return pausing(reason)
        case .refused(let answer):
            if answer.reason == ChannelFeeds.full, mayFindRoom() { return pausing(answer.reason) }
            switch answer.verdict {
            // The credentials: the same holds for the pushes.
            case .refreshAuthorization: return .outcome(.answered(answer))
            case .misconfigured where answer.status == 403: return .outcome(.answered(answer))
            case .misconfigured, .payloadRejected, .delivered, .invalidDevice, .suspectDevice:
                return try await refuse(answer, at: place)
            case .retryLater, .throttled: return pausing(answer.reason)
            }
        }
    }

    private func keep(_ id: PushToken, at place: ChannelPlace, token: BearerToken?) async throws -> Decision {
        if try await channels.replace(nil, by: .open(id), of: place, in: space) {
            return .feed(ActivityFeed.channel(id))
        }
        // The reservation was lost meanwhile, and another sender made one.
        _ = await client.delete(id, in: place.environment, token: token)
        return try await stored(at: place) ?? .feed(ActivityFeed.tokens)
    }

    /// All phones of the activity get tokens from now on.
    private func refuse(_ answer: ProviderAnswer, at place: ChannelPlace) async throws -> Decision {
        log.warning(
            "no channel for the activity; its phones get tokens",
            [.app: space.owner.text, .reason: answer.reason, .status: "\(answer.status)"])
        _ = try await channels.replace(nil, by: .refused, of: place, in: space)
        return try await stored(at: place) ?? .feed(ActivityFeed.tokens)
    }

    /// True while channels of ended activities are being deleted; they are before any phone gets a token for the lack of
    /// a channel.
    private func mayFindRoom() -> Bool {
        let now = sweep.time.uptime
        let (isBegun, isRunning) = state.withLock { state -> (Bool, Bool) in
            switch state.sweeping {
            case .running: return (false, true)
            case .ended(let end) where now - end < ChannelFeeds.sweepAge: return (false, false)
            case .none, .ended:
                state.sweeping = .running
                return (true, true)
            }
        }
        if isBegun { Task { await findRoom() } }
        return isRunning
    }

    private func findRoom() async {
        do {
            let deleted = try await sweep.deleteEnded()
            log.info(
                "Apple has no room for a further channel; channels of ended activities deleted",
                [.app: space.owner.text, .count: "\(deleted)"])
        } catch {
            log.warning("channels not swept", [.app: space.owner.text, .error: "\(error)"])
        }
        state.withLock { $0.sweeping = .ended(sweep.time.uptime) }
    }

    private var pause: Decision? {
        state.withLock { state in
            guard let failure = state.failure, sweep.time.uptime < failure.end else { return nil }
            return .outcome(.heldBack(failure.end - sweep.time.uptime, reason: failure.reason))
        }
    }

    private func pausing(_ reason: String) -> Decision {
        let reason = OutcomeReason.cut("Apple makes no channel: " + reason)
        state.withLock { $0.failure = (sweep.time.uptime + ChannelFeeds.longPause, reason) }
        return .outcome(.heldBack(ChannelFeeds.longPause, reason: reason))
    }
}

extension ChannelPlace {
    /// Nil for a push that is for no activity.
    init?(of push: Push) {
        guard let activity = push.activity?.activity else { return nil }
        self.init(activity, in: push.isSandbox ? .sandbox : .production)
    }
}
