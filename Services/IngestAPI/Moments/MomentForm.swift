import JSONKit
import PushModel
import ServiceKit
import Store

/// A moment as an app or a backend reports it. Errors are added to the problems of the fields.
struct MomentForm {
    static let bodyBytesMaximum = 4 << 10
    /// From this score on a moment is good.
    static let goodScore = 0.5
    static let lifetimeDefault = Duration.seconds(300)
    private static let scores = 0.0...1.0

    enum Owner: Sendable, Equatable {
        case device(String)
        case user(Alias)
    }

    let owner: Owner
    let isGood: Bool
    let lifetime: Duration

    /// Nil if a field is missing or invalid.
    init?(_ fields: JSONFields, isPublic: Bool) {
        let device = fields.text("device", expected: "the id from the device's registration") { $0 }
        let user = fields.text(
            "user", expected: "a string of 1 to \(Alias.bytesMaximum) bytes without control characters"
        ) { try? Alias(.externalUser, value: $0) }
        let score = fields.number("score", in: MomentForm.scores, expected: "a number from 0 to 1")
        let lifetime = fields.text("expires_in", expected: "a duration from 10s to 1h, such as 5m") { text in
            DurationText.parse(text).flatMap { UserMomentBounds.lifetimes.contains($0) ? $0 : nil }
        }
        fields.rejectUnknown()
        if isPublic, fields.has("user") {
            fields.reject("user", message: "not allowed with a public key; name the device")
        } else if fields.has("device"), fields.has("user") {
            fields.reject("user", message: "cannot be combined with device; remove one of them")
        } else if !fields.has("device"), !fields.has("user") {
            fields.problems.add("device", missing: "the id of a device, or a user")
        }
        guard let owner = device.map({ Owner.device($0) }) ?? user.map({ Owner.user($0) }) else { return nil }
        self.owner = owner
        isGood = (score ?? MomentForm.scores.upperBound) >= MomentForm.goodScore
        self.lifetime = lifetime ?? MomentForm.lifetimeDefault
    }
}
