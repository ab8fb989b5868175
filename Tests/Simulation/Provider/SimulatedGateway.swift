import ProviderKit
import PushModel
import ServiceKit
import Store
import Topics

@testable import APNsSender

/// A sender's connection to the simulated providers.
struct SimulatedGateway: PushGateway, GatewayDirectory {
    private static let roundTrips = Duration.milliseconds(20) ... .milliseconds(400)
    /// Shorter than the lease of a claim, as gateways promise.
    private static let slowRoundTrips = Duration.seconds(5) ... .seconds(50)
    private static let throttlePause = Duration.seconds(2)

    let provider: SimulatedProvider
    /// Nil unless it is Apple's.
    let feeds: ChannelFeeds?
    let seam: Seam

    func gateway(for app: AppID, _ kind: PushProtocol) -> GatewayLookup { .found(self) }

    func admit(_ count: Int, lane: Lane) async -> Admission { .admitted(count) }

    func giveBack(_ count: Int) async {}

    func send(_ pushes: [Push]) async -> [PushOutcome] {
        let mood = provider.mood
        var outcomes: [PushOutcome] = []
        for push in pushes { outcomes.append(await send(mistaken(push, among: pushes), mood: mood)) }
        await wait(mood == .slow ? SimulatedGateway.slowRoundTrips : SimulatedGateway.roundTrips)
        guard await seam.reach("provider.answer", faults: Faults()) else {
            return pushes.map { _ in .unknown("the process was killed") }
        }
        noteRefusals(of: pushes, outcomes: outcomes)
        await feeds?.noteLost(pushes, outcomes: outcomes)
        return outcomes
    }

    private func noteRefusals(of pushes: [Push], outcomes: [PushOutcome]) {
        for (push, outcome) in zip(pushes, outcomes) {
            guard case .answered(let answer) = outcome, answer.reason == ChannelClient.unknownChannel else { continue }
            provider.channels.noteRefusal(of: push.token, at: seam.world.loop.uptime, by: seam.name)
        }
    }

    private func mistaken(_ push: Push, among pushes: [Push]) -> Push {
        guard seam.world.bug == .textOfAnother else { return push }
        return Push(
            id: push.id, token: push.token, isSandbox: push.isSandbox, content: pushes[0].content, badge: push.badge)
    }

    private func send(_ push: Push, mood: SimulatedProvider.Mood) async -> PushOutcome {
        var push = push
        if push.content.needsFeed, let feeds, let activity = push.activity?.activity {
            switch await feeds.decision(at: ChannelPlace(activity, in: .production), token: nil) {
            case .feed(let feed): push.feed = feed
            case .outcome(let outcome): return outcome
            }
        }
        guard await seam.reach("provider.push", faults: Faults()) else { return .notSent("the process was killed") }
        if provider.isUnregistered(push.token) {
            return .answered(ProviderAnswer(.invalidDevice(since: nil), reason: "Unregistered", status: 410))
        }
        if push.content.variant.kind == .channel, !provider.channels.isOpen(push.token) {
            return .answered(
                ProviderAnswer(.invalidDevice(since: nil), reason: ChannelClient.unknownChannel, status: 400))
        }
        switch mood {
        case .throttling where seam.chance(60):
            return .answered(
                ProviderAnswer(
                    .throttled(.app, RetryAdvice(floor: SimulatedGateway.throttlePause)), reason: "TooManyRequests",
                    status: 429))
        case .failing where seam.world.bug == .failureTakenForDelivery && seam.chance(20):
            return .answered(ProviderAnswer(.delivered, reason: "", status: 200))
        case .failing:
            return .answered(ProviderAnswer(.retryLater(.soon), reason: "InternalServerError", status: 500))
        case .losingAnswers where seam.chance(50):
            provider.accept(push, at: seam.world.loop.uptime, by: seam.name, isUnanswered: true)
            return seam.world.bug == .unknownTakenForNotSent ? .notSent("no answer") : .unknown("no answer")
        case .failingLate where seam.chance(50):
            provider.accept(push, at: seam.world.loop.uptime, by: seam.name, isUnanswered: true)
            return .answered(
                ProviderAnswer(
                    .retryLater(.soon), reason: "InternalServerError", status: 500,
                    mayBeProcessed: seam.world.bug != .lateFailureTakenForRefusal))
        case .refusingApp:
            return .answered(ProviderAnswer(.misconfigured, reason: "InvalidProviderToken", status: 403))
        case .forgetful where push.content.variant.kind != .channel && seam.chance(25):
            provider.unregister(push.token)
            return .answered(ProviderAnswer(.invalidDevice(since: nil), reason: "Unregistered", status: 410))
        default:
            provider.accept(push, at: seam.world.loop.uptime, by: seam.name)
            return .answered(ProviderAnswer(.delivered, reason: "", status: 200))
        }
    }

    private func wait(_ range: ClosedRange<Duration>) async {
        var dice = Dice(seed: seam.seed())
        try? await seam.clock.sleep(for: dice.duration(range))
    }
}
