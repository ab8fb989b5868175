package import PushModel
import ServiceKit
package import Topics

/// Sends pushes to a provider for one app. Senders use real connections behind it, a simulation none.
package protocol PushGateway: Sendable {
    /// Returns how many may be sent now, at most `count`; none for a while if the provider wants a pause. May wait for
    /// room, the fast lane before the other.
    func admit(_ count: Int, lane: Lane) async -> Admission
    /// Sends each once; the outcomes are in the order of the pushes. Pushes admitted and not sent are given back.
    func send(_ pushes: [Push]) async -> [PushOutcome]
    /// Sends each once and hands their outcomes over, each in exactly one part: together, or in several parts if some
    /// take much longer than others. The calls follow one another, and all are made before this returns.
    func send(_ pushes: [Push], handOver: (PartialOutcomes) async -> Void) async
    func giveBack(_ count: Int) async
}

extension PushGateway {
    package func send(_ pushes: [Push], handOver: (PartialOutcomes) async -> Void) async {
        await handOver(PartialOutcomes(Array(pushes.indices), outcomes: await send(pushes)))
    }
}

package enum Admission: Sendable, Equatable {
    case admitted(Int)
    case pausedFor(Duration)
    /// The provider is unavailable: it owes answers and does not answer, or there is no access token.
    case unavailable(reason: String)
    /// Nothing of this app can be sent until its settings are fixed.
    case halted(reason: String)
}

/// One device's notification as it goes to the provider.
package struct Push: Sendable {
    package let id: TaskID
    package let token: String
    package let isSandbox: Bool
    package let content: PushContent
    package let badge: UInt32
    /// Nil if the payload has no slot for it.
    package let proof: ReceiptProof?
    /// Of a browser; nil for every other device.
    package let webPushKeys: WebPushKeys?
    /// The Live Activity that it is for.
    package let activity: ChunkActivity?
    /// The member for the payload's slot of that name, which its sender decides.
    package var feed = ""

    package init(
        id: TaskID, token: String, isSandbox: Bool, content: PushContent, badge: UInt32, proof: ReceiptProof? = nil,
        webPushKeys: WebPushKeys? = nil, activity: ChunkActivity? = nil
    ) {
        self.id = id
        self.token = token
        self.isSandbox = isSandbox
        self.content = content
        self.badge = badge
        self.proof = proof
        self.webPushKeys = webPushKeys
        self.activity = activity
    }

    package var payload: [UInt8] {
        content.variant.payload.payload(token: tokenText, badge: badge, proof: proofText, feed: feed)
    }

    package var proofText: String { proof?.description ?? "" }

    /// The token escaped for a JSON string: tokens are opaque, so one may contain a quotation mark.
    package var tokenText: String { JSONText.escaped(token) }
}

/// Data shared by the pushes of one variant. A class, so that passing on a push counts one reference in place of one
/// for each text and payload part of the variant.
package final class PushContent: Sendable {
    package let variant: RenderedVariant
    let hasProof: Bool
    /// True if the payload has a slot for the feed of a Live Activity.
    package let needsFeed: Bool

    package init(_ variant: RenderedVariant) {
        self.variant = variant
        hasProof = variant.payload.slots.contains(.proof)
        needsFeed = variant.payload.slots.contains(.feed)
    }
}

package enum PushOutcome: Sendable, Equatable {
    case answered(ProviderAnswer)
    /// The push never reached the provider: sending it again cannot duplicate it.
    case notSent(String)
    /// The push was not tried: its device's server must be left alone for a while.
    case heldBack(Duration, reason: String)
    /// The push may have been delivered, and no answer came.
    case unknown(String)
}

/// Looks up the gateway of an app.
package protocol GatewayDirectory: Sendable {
    func gateway(for app: AppID, _ kind: PushProtocol) async -> GatewayLookup
}

package enum GatewayLookup: Sendable {
    case found(any PushGateway)
    /// The app file names no such provider: nothing can be sent to its devices.
    case noProvider
    /// There is no valid app file yet: it was not read, or has been invalid since the sender started.
    case unknownApp
}
