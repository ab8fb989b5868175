package import PushModel
import ServiceKit
package import Topics

/// The way to a provider for one app. The hot senders drive real connections behind it, a simulation none.
package protocol PushGateway: Sendable {
    /// How many may be sent now, at most as many as asked for; none for a while when the provider wants a pause. May
    /// wait for room, the fast lane before the other.
    func admit(_ count: Int, lane: Lane) async -> Admission
    /// Sends each once; the answers stand in the order of the pushes. What was admitted and is not sent is given back.
    func send(_ pushes: [Push]) async -> [PushOutcome]
    func giveBack(_ count: Int) async
}

package enum Admission: Sendable, Equatable {
    case admitted(Int)
    case pausedFor(Duration)
    /// The provider cannot be asked: it owes answers and gives none, or there is no access token to be had.
    case unavailable(reason: String)
    /// Nothing of this app can be sent until somebody mends it.
    case halted(reason: String)
}

/// One device's notification as it goes to the provider.
package struct Push: Sendable {
    package let id: TaskID
    package let token: String
    package let isSandbox: Bool
    package let content: PushContent
    package let badge: UInt32

    package init(id: TaskID, token: String, isSandbox: Bool, content: PushContent, badge: UInt32) {
        self.id = id
        self.token = token
        self.isSandbox = isSandbox
        self.content = content
        self.badge = badge
    }

    package var payload: [UInt8] {
        content.variant.payload.payload(token: tokenText, badge: badge)
    }

    /// The token as it may stand between quotation marks in JSON: tokens are opaque, so one may hold such a mark itself.
    package var tokenText: String { JSONText.escaped(token) }
}

/// What the pushes of one variant have in common. A class, so that handing on a push counts one reference in place of one
/// for each text and payload part of the variant.
package final class PushContent: Sendable {
    package let variant: RenderedVariant

    package init(_ variant: RenderedVariant) {
        self.variant = variant
    }
}

package enum PushOutcome: Sendable, Equatable {
    case answered(ProviderAnswer)
    /// It never reached the provider: sending it again cannot repeat it.
    case notSent(String)
    /// It may have been delivered, and no answer came.
    case unknown(String)
}

/// Where a sender finds the gateway of an app.
package protocol GatewayDirectory: Sendable {
    func gateway(for app: AppID, _ kind: PushProtocol) async -> GatewayLookup
}

package enum GatewayLookup: Sendable {
    case found(any PushGateway)
    /// The app's file names no such provider: nothing can be sent to its devices.
    case noProvider
    /// There is no file of the app, which may come: it is not read yet, or broken since the sender started.
    case unknownApp
}
