import ServiceKit

/// The fault rules of one provider in the order of their creation.
struct FaultBook {
    static let rulesMaximum = 100

    /// The effect of the rules on one request.
    struct Draw: Equatable {
        var delay = Duration.zero
        /// The first fault whose rule chose this request.
        var fault: (Fault, isDelivered: Bool)?

        static func == (left: Draw, right: Draw) -> Bool {
            left.delay == right.delay && left.fault?.0 == right.fault?.0
                && left.fault?.isDelivered == right.fault?.isDelivered
        }
    }

    private(set) var rules: [Int: FaultRule] = [:]
    private var order: [Int] = []
    private var numbers = 0

    /// Returns the rule's number; nil if there are too many already.
    mutating func add(_ rule: FaultRule) -> Int? {
        guard rules.count < FaultBook.rulesMaximum else { return nil }
        numbers += 1
        rules[numbers] = rule
        order.append(numbers)
        return numbers
    }

    mutating func removeAll() {
        rules = [:]
        order = []
    }

    mutating func draw(for endpoint: FaultRule.Endpoint, _ random: some RandomSource) -> Draw {
        var draw = Draw()
        guard !order.isEmpty else { return draw }
        for number in order {
            guard let rule = rules[number], rule.endpoint == endpoint else { continue }
            switch rule.effect {
            case .fault(let fault, let isDelivered):
                if draw.fault == nil && chooses(number, random: random) { draw.fault = (fault, isDelivered) }
            case .delay(let distribution):
                if chooses(number, random: random) { draw.delay += distribution.draw(random) }
            }
        }
        return draw
    }

    /// A rule for a number of requests is removed when they are through.
    private mutating func chooses(_ number: Int, random: some RandomSource) -> Bool {
        switch rules[number]?.selection {
        case nil: return false
        case .always: return true
        case .share(let share): return Double(random.next() >> 11) / Double(1 << 53) < share
        case .next(let count):
            rules[number]?.selection = .next(count - 1)
            if count <= 1 {
                rules[number] = nil
                order.removeAll { $0 == number }
            }
            return true
        }
    }
}
