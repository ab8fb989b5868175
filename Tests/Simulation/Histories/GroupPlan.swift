import PushModel
import ServiceKit
import Store

/// A group of transfers that a publisher of AppMetrica makes, and changes afterwards.
struct GroupPlan: Sendable {
    enum Change: Sendable {
        case rate(Int)
        case archive
        case restore
    }

    let name: String
    let begin: Duration
    let changes: [Change]

    init(number: Int, span: Duration, dice: inout Dice) {
        name = "group-\(number)"
        begin = dice.duration(.zero...span)
        changes = (0..<dice.number(in: 0...4)).map { _ in
            switch dice.number(below: 3) {
            case 0: .archive
            case 1: .restore
            default: .rate(dice.number(in: TransferGroupBounds.rates))
            }
        }
    }

    /// Nil while it is archived.
    var lastRate: Int? {
        var rate = TransferGroupBounds.rates.upperBound
        var isArchived = false
        for change in changes {
            switch change {
            case .rate(let next): rate = next
            case .archive: isArchived = true
            case .restore: isArchived = false
            }
        }
        return isArchived ? nil : rate
    }
}
