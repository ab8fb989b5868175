import PushModel
import ServiceKit
import TaskModel

@testable import IngestAPI

/// A task that a publisher posts.
struct Order: Sendable {
    enum Target: Sendable {
        case everyone
        case topic
        /// The users of these numbers, some of whom have two devices.
        case users([Int])
        case devices([Int])
        /// Those that match, also by a saved audience whose name later means others, and some devices besides.
        case audience(Condition, isSaved: Bool, devices: [Int])
        /// A list that is stored in parts: these devices are far apart in it, all else are ids of no device.
        case longList([Int], length: Int)
        /// A list of tokens in which each device has a content of its own.
        case contents([Int])
    }

    /// When its devices may be sent to.
    enum Begin: Sendable {
        case immediately
        case at(Duration)
        /// Its only user is sent to within this time, at a good moment or at once.
        case window(opens: Duration, length: Duration, DraftWindow.MethodChoice)
        /// The same, from the acceptance on.
        case windowUntil(Duration, DraftWindow.MethodChoice)
        /// When the clocks of the devices show this time; all of them show UTC.
        case local(minute: Int)
    }

    private(set) var target: Target
    private(set) var isAtMostOnce: Bool
    var timeToLive = Duration.seconds(3_600)
    private(set) var begin: Begin
    /// Pushes a second.
    var rate: Int?
    private(set) var countsBadge: Bool
    /// False if it ignores the cap and the quiet hours of the app.
    private(set) var keepsRules: Bool
    /// Devices that reach their cap, or are in quiet hours, wait; else they end as suppressed.
    private(set) var waits: Bool
    /// Of all tasks of a dialect with the same number the last accepted counts.
    var key: Int?

    private(set) var dialect = OrderDialect.native

    /// A task of a history that is posted at this time.
    init(posted: Duration, devices: Int, dice: inout Dice) {
        let user = dice.number(below: devices)
        let begin = Begin(posted: posted, dice: &dice)
        target = if case .window = begin { .users([user]) } else { Target(devices: devices, dice: &dice) }
        self.begin = target.hasContents ? .immediately : begin
        if dice.chance(30) { timeToLive = dice.duration(.seconds(5) ... .seconds(120)) }
        guard !target.hasContents else {
            // Its requests say nothing of the rest.
            dialect = .appMetrica
            (isAtMostOnce, countsBadge, keepsRules, waits) = (false, false, true, true)
            return
        }
        isAtMostOnce = dice.chance(45)
        if dice.chance(15) { rate = dice.number(in: 1...8) }
        countsBadge = dice.chance(40)
        keepsRules = dice.chance(80)
        waits = dice.chance(70)
        if dice.chance(20) { key = dice.number(below: 2) }
    }
}

extension Order {
    /// The same without a rate, and without times of the devices' clocks, which differ by a day.
    var withoutWaits: Order {
        var order = self
        order.rate = nil
        if case .local = begin, let time = begin.earliest { order.begin = .at(time) }
        // Groups of transfers have rates.
        if dialect == .appMetrica { order.dialect = .native }
        if case .contents(let devices) = target { order.target = .devices(devices) }
        return order
    }

    /// The same in a dialect, as far as the dialect can say it; nil if it cannot name the devices or the time.
    func said(in dialect: OrderDialect, posted: Duration, dice: inout Dice) -> Order? {
        guard dialect != .native else { return self }
        guard dialect.names(target) else { return nil }
        guard dialect != .contextPush else { return message(posted: posted, dice: &dice) }
        guard case .immediately = begin else { return nil }
        var order = plain(in: dialect)
        if dialect == .appMetrica { order.target = .devices(Population.batchDevices(target.listed)) }
        order.countsBadge = countsBadge && dialect == .pushd
        return order
    }

    /// Without what most dialects cannot say.
    private func plain(in dialect: OrderDialect) -> Order {
        var order = self
        order.dialect = dialect
        order.isAtMostOnce = false
        order.timeToLive = SimulatedApp.timeToLive
        order.rate = nil
        order.countsBadge = false
        order.keepsRules = true
        order.waits = true
        order.key = nil
        return order
    }

    /// A message to one user of ContextPush. Messages with the same key are to the same user.
    private func message(posted: Duration, dice: inout Dice) -> Order {
        var order = plain(in: .contextPush)
        order.target = .users([target.listed[0]])
        order.begin = .windowUntil(posted + dice.duration(Order.messageLengths), DraftWindow.MethodChoice(&dice))
        if dice.chance(50) {
            let key = dice.number(below: 2)
            order.key = key
            order.target = .users([key])
        }
        return order
    }

    /// So long that a publisher has an answer before its end.
    private static let messageLengths = Duration.seconds(600)...Duration.seconds(900)

    /// Of all tasks with the same one the last accepted counts. `number` is that of the order.
    func replacementKey(_ number: Int) -> String? {
        guard dialect == .contextPush else { return key.map { "key-\($0)" } }
        return key.map { "daily-\($0)" } ?? HistoryRun.key(number)
    }
}

extension Order.Target {
    /// Longer than what is resolved at once, or not.
    private static let listLengths = 401...1_300

    var hasContents: Bool {
        if case .contents = self { true } else { false }
    }

    /// The devices or users of the list.
    var listed: [Int] {
        switch self {
        case .everyone, .topic: []
        case .users(let numbers), .devices(let numbers), .longList(let numbers, _), .contents(let numbers): numbers
        case .audience(_, _, let devices): devices
        }
    }

    /// The entries of the list that name no device.
    var strangers: Int {
        if case .longList(let devices, let length) = self { length - devices.count } else { 0 }
    }

    fileprivate init(devices: Int, dice: inout Dice) {
        func some(_ counts: ClosedRange<Int>) -> [Int] {
            (0..<dice.number(in: counts)).map { _ in dice.number(below: devices) }
        }
        switch dice.number(below: 20) {
        case 0...2: self = .everyone
        case 3...5: self = .topic
        case 6...8: self = .users(some(1...10))
        case 9...11: self = .users(some(1...1))
        case 12, 13: self = .devices(some(1...20))
        case 14...16:
            self = .audience(
                Condition(&dice), isSaved: dice.chance(40), devices: dice.chance(30) ? some(1...5) : [])
        case 17: self = .longList(some(1...20), length: dice.number(in: Order.Target.listLengths))
        default: self = .contents(some(1...20))
        }
    }
}

extension Order.Begin {
    /// Nil for a task that is sent at once.
    var earliest: Duration? {
        switch self {
        case .immediately: nil
        case .at(let time): time
        case .window(let opens, _, _): opens
        case .windowUntil: .zero
        case .local(let minute): .seconds(Int64(minute * 60))
        }
    }

    /// True if the task waits in the scheduler.
    var isLater: Bool { earliest != nil }

    fileprivate init(posted: Duration, dice: inout Dice) {
        switch dice.number(below: 20) {
        case 0...3: self = .at(posted + dice.duration(.seconds(1) ... .seconds(90)))
        case 4...6:
            self = .window(
                opens: posted + (dice.chance(50) ? .zero : dice.duration(.seconds(1) ... .seconds(60))),
                length: dice.duration(.seconds(60) ... .seconds(400)), DraftWindow.MethodChoice(&dice))
        case 7: self = .local(minute: Int((posted / .seconds(60)).rounded(.up)) + dice.number(in: 0...2))
        default: self = .immediately
        }
    }
}

extension Order: CustomStringConvertible {
    var description: String {
        var parts = ["to \(audience)", isAtMostOnce ? "at most once" : "at least once", "valid for \(timeToLive.text)"]
        switch begin {
        case .immediately: break
        case .at(let time): parts.append("at \(time.text)")
        case .window(let opens, let length, let method):
            parts.append("from \(opens.text) for \(length.text), \(method.text)")
        case .windowUntil(let end, let method): parts.append("until \(end.text), \(method.text)")
        case .local(let minute): parts.append("at minute \(minute) of the devices' clocks")
        }
        if let rate { parts.append("\(rate) a second") }
        if countsBadge { parts.append("counts badges") }
        if !keepsRules { parts.append("whatever the app's rules") }
        if dialect != .native { parts.append("in the dialect \(dialect)") }
        if !waits { parts.append("without waits") }
        if let key { parts.append("in place of others with key \(key)") }
        return parts.joined(separator: ", ")
    }

    private var audience: String {
        switch target {
        case .everyone: "everyone"
        case .topic: "a topic"
        case .users(let users): "\(users.count) users"
        case .devices(let devices): "\(devices.count) devices"
        case .audience(let condition, let isSaved, let devices):
            "\(isSaved ? "a saved audience" : "an audience") \(condition) and \(devices.count) devices"
        case .longList(let devices, let length): "\(devices.count) devices in a list of \(length)"
        case .contents(let devices): "\(devices.count) devices with contents of their own"
        }
    }
}

extension DraftWindow.MethodChoice {
    fileprivate init(_ dice: inout Dice) {
        self = dice.chance(15) ? .compared : .fixed(dice.chance(75) ? .contextAware : .traditional)
    }

    fileprivate var text: String {
        switch self {
        case .fixed(let method): method.rawValue
        case .compared: "compared"
        }
    }
}

extension Duration {
    /// In milliseconds.
    var text: String { "\(wholeMilliseconds) ms" }
}
