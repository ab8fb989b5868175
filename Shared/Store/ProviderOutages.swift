package import PushModel
import ServiceKit

/// An app's route to a provider, which is paused during an outage of the provider.
package struct ProviderRoute: Hashable, Sendable, CustomStringConvertible {
    package let app: AppID
    package let provider: PushProtocol

    package init(app: AppID, provider: PushProtocol) {
        self.app = app
        self.provider = provider
    }

    package var description: String { "\(app)/\(provider.name)" }
}

/// Durations of the pauses in an outage: doubling from `first` to `longest`, with jitter.
package struct OutagePauses: Hashable, Sendable {
    package let first: Duration
    package let longest: Duration

    package init(first: Duration = .seconds(15), longest: Duration = .seconds(300)) {
        precondition(first > .zero && longest >= first, "pauses start above zero and do not shrink")
        self.first = first
        self.longest = longest
    }
}

/// The store's answer to a sender that wants to probe if an outage is over.
package enum ProbeVerdict: Hashable, Sendable {
    /// There is no outage any more.
    case open
    /// This sender sends one push; all others wait until its lease expires.
    case granted
    /// The pause lasts, or another sender's probe is in flight.
    case refused(Duration)
}

/// Outages of providers, shared by all senders, schedulers and resolvers.
///
/// An outage begins with a pause. Then one push is sent as a probe: a response ends the outage, a failure extends it by
/// the next pause. Losing this data loses no waiting push: a forgotten outage is detected again.
package protocol ProviderOutages: Sendable {
    /// Time left of each outage's pause; zero or negative (the time waited) while it waits for its probe.
    func read() async throws(StoreError) -> [ProviderRoute: Duration]
    /// Begins an outage, or extends it once its pause is over; returns the time left of the current pause. Senders that
    /// report the same failure extend it once. `jitter` is uniformly distributed from 0 to 1.
    func extend(
        _ route: ProviderRoute, by pauses: OutagePauses, jitter: Double, isProbe: Bool
    ) async throws(StoreError) -> Duration
    func probe(_ route: ProviderRoute, for lease: Duration) async throws(StoreError) -> ProbeVerdict
    /// The probe was not sent: another sender may take it.
    func giveBackProbe(_ route: ProviderRoute) async throws(StoreError)
    func end(_ route: ProviderRoute) async throws(StoreError)
    /// True if one device may be released as the probe: at most one per `lease`, once the pause is over.
    func nominate(_ route: ProviderRoute, for lease: Duration) async throws(StoreError) -> Bool
}

package enum ProviderOutageBounds {
    /// An outage is forgotten after this time without reports.
    package static let memory = Duration.seconds(3_600)
    /// How long a device is parked while another sender's probe is in flight.
    package static let probePause = Duration.seconds(2)
    /// Each extension doubles the pause; a higher level would overflow.
    package static let levelMaximum = 20
}
