import ServiceKit
import TestSupport

/// What happens in one round: all of it follows from the dice.
struct SoakPlan: Sendable {
    /// Something that is done to the pipeline, so long after the one before has been overcome.
    struct Blow: Sendable {
        enum Kind: Sendable {
            /// Of the harness's processes the one at this place.
            case killProcess(Int)
            case killRedis
            case brokersDown(Duration)
        }

        let pause: Duration
        let kind: Kind
    }

    let start = SystemTimeSource().now
    let orders: [SoakOrder]
    let blows: [Blow]

    init(_ bus: Harness.BusKind, processes: Int, dice: inout Dice) {
        let kinds = (SoakOrder.Kind.allCases + SoakOrder.Kind.allCases).shuffled(using: &dice)
        var posted = Duration.zero
        orders = kinds.map { kind in
            posted += .milliseconds(dice.number(below: 5_000))
            return SoakOrder(kind, posted: posted, dice: &dice)
        }
        blows = (0..<15 + dice.number(below: 10)).map { _ in
            Blow(
                pause: .milliseconds(1_000 + dice.number(below: 2_000)),
                kind: SoakPlan.kind(bus, processes: processes, dice: &dice))
        }
    }

    private static func kind(_ bus: Harness.BusKind, processes: Int, dice: inout Dice) -> Blow.Kind {
        if dice.chance(1, of: 12) { return .killRedis }
        if bus == .kafka, dice.chance(1, of: 12) {
            return .brokersDown(.milliseconds(200 + dice.number(below: 2_000)))
        }
        return .killProcess(dice.number(below: processes))
    }
}
