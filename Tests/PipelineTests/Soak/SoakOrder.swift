import JSONKit
import ServiceKit
import TestSupport

/// A task that a publisher posts in a round.
struct SoakOrder: Sendable, CustomStringConvertible {
    enum Kind: String, CaseIterable, Sendable {
        case broadcast
        case topic
        case devices
        case users
        case single
        case scheduled
        case cancelled
        case cancelledSchedule
    }

    let kind: Kind
    var isAtMostOnce: Bool
    /// Since the round's start.
    let posted: Duration
    /// How long after its request it is to be sent.
    var delay: Duration?
    /// How long after its acceptance it is cancelled.
    var cancelledAfter: Duration?
    /// The numbers of the devices that it addresses.
    let audience: Set<Int>

    init(_ kind: Kind, posted: Duration, dice: inout Dice) {
        self.kind = kind
        self.posted = posted
        isAtMostOnce = dice.chance(1, of: 3)
        switch kind {
        case .topic: audience = Set(stride(from: 0, to: SoakDevices.count, by: 2))
        case .devices: audience = SoakOrder.some(20...900, dice: &dice)
        case .users: audience = SoakOrder.some(1_100...2_500, dice: &dice)
        case .single: audience = SoakOrder.some(1...1, dice: &dice)
        case .broadcast, .scheduled, .cancelled, .cancelledSchedule: audience = Set(0..<SoakDevices.count)
        }
        if kind == .scheduled || kind == .cancelledSchedule { delay = .milliseconds(2_000 + dice.number(below: 4_000)) }
        if kind == .cancelled { cancelledAfter = .milliseconds(dice.number(below: 3_000)) }
        if kind == .cancelledSchedule { cancelledAfter = .milliseconds(dice.number(below: 8_000)) }
    }

    private static func some(_ counts: ClosedRange<Int>, dice: inout Dice) -> Set<Int> {
        let count = Int.random(in: counts, using: &dice)
        return Set((0..<count).map { _ in dice.number(below: SoakDevices.count) })
    }

    var description: String {
        "\(kind) to \(audience.count)\(isAtMostOnce ? ", at most once" : "")"
            + (delay.map { ", after \($0.wholeMilliseconds) ms" } ?? "")
            + (cancelledAfter.map { ", cancelled after \($0.wholeMilliseconds) ms" } ?? "")
    }

    func body(devices: SoakDevices, begins: Timestamp?) -> String {
        JSONText.object { json in
            switch kind {
            case .devices, .single: json.member("devices", json: JSONText.array(audience.sorted().map(devices.id)))
            case .users: json.member("users", json: JSONText.array(audience.sorted().map { "user-\($0)" }))
            case .topic: json.member("audience", json: #"{"topic":"even"}"#)
            case .broadcast, .scheduled, .cancelled, .cancelledSchedule:
                json.member("audience", json: #"{"topic":"news"}"#)
            }
            json.member("message", json: #"{"body":"There"}"#)
            let repeating = isAtMostOnce ? "at_most_once" : "at_least_once"
            json.member("options", json: #"{"ambiguous":"\#(repeating)","time_to_live":"1h"}"#)
            if let begins { json.member("send_at", "\(begins)") }
        }
    }
}
