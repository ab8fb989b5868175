import ProviderKit
import PushModel
import ServiceKit
import Synchronization

@testable import APNsSender

/// Apple's broadcast channels of the app.
final class SimulatedChannels: Sendable {
    /// A broadcast that was refused since its channel does not exist.
    struct Refusal: Sendable {
        let channel: String
        let time: Duration
        let process: String
    }

    private struct State {
        var made = 0
        var open: [String] = []
        var forgotten: Set<String> = []
        var refusals: [Refusal] = []
    }

    /// More than a history needs, unless Apple's answers are lost.
    static let countMaximum = 16

    private let state = Mutex(State())

    static func id(_ number: Int) throws -> PushToken {
        try PushToken(.channel, text: "channel/\(1_000 + number)==")
    }

    /// Nil if there is no room.
    func make() -> PushToken? {
        state.withLock { state in
            guard state.made < SimulatedChannels.countMaximum, let id = try? SimulatedChannels.id(state.made) else {
                return nil
            }
            state.made += 1
            state.open.append(id.text)
            return id
        }
    }

    func remove(_ id: PushToken) {
        state.withLock { $0.open.removeAll { $0.utf8.elementsEqual(id.text.utf8) } }
    }

    /// All that there are.
    func forget() {
        state.withLock { state in
            state.forgotten.formUnion(state.open)
            state.open = []
        }
    }

    func isOpen(_ channel: String) -> Bool { state.withLock { $0.open.contains(channel) } }

    /// The process was answered that the channel does not exist.
    func noteRefusal(of channel: String, at time: Duration, by process: String) {
        state.withLock { $0.refusals.append(Refusal(channel: channel, time: time, process: process)) }
    }

    var open: [String] { state.withLock { $0.open } }
    /// Those that Apple lost.
    var forgotten: Set<String> { state.withLock { $0.forgotten } }
    /// In order.
    var refusals: [Refusal] { state.withLock { $0.refusals } }
}

/// A sender's connection to Apple's API for channels.
struct SimulatedChannelAPI: ChannelAPI {
    private static let roundTrips = Duration.milliseconds(20) ... .milliseconds(400)
    /// Of an app for whose id broadcasts are not enabled.
    private static let refusal = ProviderAnswer(.misconfigured, reason: "FeatureNotEnabled", status: 400)
    private static let noRoom = ProviderAnswer(.misconfigured, reason: "CannotCreateChannelConfig", status: 400)
    private static let failure = ProviderAnswer(.retryLater(.soon), reason: "InternalServerError", status: 500)

    let provider: SimulatedProvider
    let seam: Seam
    let limit = Duration.seconds(10)

    func create(in environment: Device.Environment, token: BearerToken?) async -> ChannelClient.Reply<PushToken> {
        await call { seam in
            if seam.chance(15) { return .refused(SimulatedChannelAPI.refusal) }
            return provider.channels.make().map { .done($0) } ?? .refused(SimulatedChannelAPI.noRoom)
        }
    }

    func delete(
        _ channel: PushToken, in environment: Device.Environment, token: BearerToken?
    ) async -> ChannelClient.Reply<Void> {
        await call { _ in
            provider.channels.remove(channel)
            return .done(())
        }
    }

    func list(in environment: Device.Environment, token: BearerToken?) async -> ChannelClient.Reply<[String]> {
        await call { _ in .done(environment == .production ? provider.channels.open : []) }
    }

    func token() -> BearerToken? { nil }

    func refuse(_ token: BearerToken) {}

    private func call<Value: Sendable>(
        _ answer: (Seam) -> ChannelClient.Reply<Value>
    ) async -> ChannelClient.Reply<Value> {
        let mood = provider.mood
        guard await seam.reach("provider.channel", faults: Faults()) else { return .unanswered("no connection") }
        let isRefused = mood == .failing || mood == .throttling
        let reply = isRefused ? .refused(SimulatedChannelAPI.failure) : answer(seam)
        try? await seam.clock.sleep(for: seam.duration(SimulatedChannelAPI.roundTrips))
        guard await seam.reach("provider.answer", faults: Faults()), !mood.losesAnswers else {
            return .unanswered("no answer")
        }
        return reply
    }
}
