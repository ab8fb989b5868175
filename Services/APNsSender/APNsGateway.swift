import Apps
import HTTP2
import ProviderKit
import PushModel
import ServiceKit
import Store
import Topics

/// Sends pushes to Apple for one app.
final class APNsGateway: PushGateway {
    private let credentials: APNsCredentials
    private let account: APNsAccount
    private let gate: TokenGate
    private let feeds: ChannelFeeds

    init(_ credentials: APNsCredentials, account: APNsAccount, feeds: ChannelFeeds, gate: SendGate) {
        self.credentials = credentials
        self.account = account
        self.feeds = feeds
        self.gate = TokenGate(tokens: account.tokens, gate: gate)
    }

    /// Maximum of pushes in flight now.
    var inFlightMaximum: Int { gate.inFlightMaximum }

    func admit(_ count: Int, lane: Lane) async -> Admission {
        await gate.admit(count, lane: lane)
    }

    func giveBack(_ count: Int) {
        gate.giveBack(count)
    }

    func send(_ pushes: [Push]) async -> [PushOutcome] {
        await gate.send(pushes) { SendRound(outcomes: await self.send($0, with: $1)) }
    }

    private func send(_ pushes: [Push], with token: BearerToken?) async -> [PushOutcome] {
        var validator = APNsValidator()
        var outcomes = pushes.map { push in validator.obstacle(push).map { PushOutcome.answered($0) } }
        var pushes = pushes
        if pushes.contains(where: \.content.needsFeed) {
            await addFeeds(to: &pushes, outcomes: &outcomes, token: token)
        }
        let open = pushes.indices.filter { outcomes[$0] == nil }
        let hosts = Dictionary(grouping: open) { APNsHost(for: pushes[$0]) }
        let answered = await withTaskGroup { [pushes] group in
            for (host, positions) in hosts {
                group.addTask { await self.send(pushes, positions: positions, to: host, with: token) }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        for (positions, answers) in answered {
            for (position, outcome) in zip(positions, answers) { outcomes[position] = outcome }
        }
        let decided = outcomes.compactMap { $0 }
        await feeds.noteLost(pushes, outcomes: decided)
        return decided
    }

    private func send(
        _ pushes: [Push], positions: [Int], to host: APNsHost, with token: BearerToken?
    ) async -> (positions: [Int], answers: [PushOutcome]) {
        guard let line = account.line(to: host) else { return (positions, positions.map { _ in APNsAccount.changed }) }
        // Nearly always all of them, and then there is nothing to copy.
        let mine = positions.count == pushes.count ? pushes : positions.map { pushes[$0] }
        return (positions, await line.send(mine, topic: credentials.topic, token: token))
    }

    /// Pushes that start an activity get its feed, or an outcome if there is none yet.
    private func addFeeds(
        to pushes: inout [Push], outcomes: inout [PushOutcome?], token: BearerToken?
    ) async {
        let open = pushes.indices.filter { outcomes[$0] == nil && pushes[$0].content.needsFeed }
        for (place, positions) in Dictionary(grouping: open, by: { ChannelPlace(of: pushes[$0]) }) {
            guard let place else {
                for position in positions { pushes[position].feed = ActivityFeed.tokens }
                continue
            }
            switch await feeds.decision(at: place, token: token) {
            case .feed(let feed): for position in positions { pushes[position].feed = feed }
            case .outcome(let outcome): for position in positions { outcomes[position] = outcome }
            }
        }
    }
}
