package import PushModel
import ServiceKit

/// An app's way to a provider: what an outage of the provider pauses.
package struct ProviderRoute: Hashable, Sendable, CustomStringConvertible {
    package let app: AppID
    package let provider: PushProtocol

    package init(app: AppID, provider: PushProtocol) {
        self.app = app
        self.provider = provider
    }

    package var description: String { "\(app)/\(provider.name)" }
}

/// How long the pauses of an outage last: doubling from `first` to `longest`, with jitter.
package struct OutagePauses: Hashable, Sendable {
    package let first: Duration
    package let longest: Duration

    package init(first: Duration = .seconds(15), longest: Duration = .seconds(300)) {
        precondition(first > .zero && longest >= first, "pauses start above zero and do not shrink")
        self.first = first
        self.longest = longest
    }
}

/// What the store says to a sender that wants to find out whether an outage is over.
package enum ProbeVerdict: Hashable, Sendable {
    /// There is no outage any more.
    case open
    /// This sender sends one push; nobody else does until its lease is over.
    case granted
    /// The pause lasts, or another sender's probe is under way.
    case refused(Duration)
}

/// Outages of providers, as all senders, schedulers and resolvers know them.
///
/// An outage begins with a pause. After it one push is sent as a probe: an answer ends the outage, a failure extends it by
/// the next pause. Nothing that waits for its end is lost with it: an outage that is forgotten is found out again.
package protocol ProviderOutages: Sendable {
    /// What is left of each outage's pause; zero or less while it waits for its probe, since so long.
    func read() async throws(StoreError) -> [ProviderRoute: Duration]
    /// Begins an outage, or extends it once its pause is over; what is left of the pause that holds. Senders that report
    /// the same failure extend it once. `jitter` is evenly spread from 0 to 1.
    func extend(
        _ route: ProviderRoute, by pauses: OutagePauses, jitter: Double, isProbe: Bool
    ) async throws(StoreError) -> Duration
    func probe(_ route: ProviderRoute, for lease: Duration) async throws(StoreError) -> ProbeVerdict
    /// The probe was not sent: another sender may.
    func giveBackProbe(_ route: ProviderRoute) async throws(StoreError)
    func end(_ route: ProviderRoute) async throws(StoreError)
    /// Whether a device may be released that is to become the probe: one for each so long, once the pause is over.
    func nominate(_ route: ProviderRoute, for lease: Duration) async throws(StoreError) -> Bool
}

package enum ProviderOutageBounds {
    /// An outage of which no sender has heard for so long is forgotten.
    package static let memory = Duration.seconds(3_600)
    /// How long a device is put aside while another sender's probe is under way.
    package static let probePause = Duration.seconds(2)
    /// Each extension doubles the pause; more than this would pass every bound.
    package static let levelMaximum = 20
}
