import PushModel
import ServiceKit

/// What happens in one run: all of it follows from the seed.
struct History: Sendable {
    static let minutes = 2
    private static let dialectPercent = 30
    private static let activityPercent = 25
    /// Of the histories with channels.
    private static let forgottenPercent = 70
    private static let groupPercent = 20
    private static let subscriberPercent = 30

    let seed: UInt64
    let deviceCount: Int
    let app: AppSettings
    let orders: [Order]
    let activities: [ActivityPlan]
    let groups: [GroupPlan]
    let subscribers: [SubscriberPlan]
    var events: [Event]
    /// How long channels are kept after the end of their activity; nil without channels.
    let channelRetention: Duration?
    /// Nothing is disturbed any more after this time.
    let span: Duration
    /// What follows once everything has come to rest.
    let standstill: Standstill?

    /// All processes are stopped for a while; then a publisher repeats requests. After a day their keys are forgotten.
    struct Standstill: Sendable {
        let length: Duration
        let repeated: [Int]
    }

    init(seed: UInt64, tasks: Int = 5, devices: Int = 50, minutes: Int = minutes) {
        var dice = Dice(seed: seed)
        let span = Duration.seconds(Int64(60 * minutes))
        self.seed = seed
        self.span = span
        deviceCount = devices
        let drawnApp = AppSettings(&dice)
        let times = (0..<tasks).map { _ in dice.duration(.zero...span * 0.8) }
        let drawn = times.map { Order(posted: $0, devices: devices, dice: &dice) }
        let said = History.said(drawn, posted: times, seed: seed)
        activities = History.activities(seed: seed, devices: devices, span: span)
        let choices = EventChoices(tasks: times, devices: devices, app: drawnApp, span: span, dice: &dice)
        let posts = times.enumerated().map { Event(time: $1, kind: .post($0)) }
        standstill =
            dice.chance(10)
            ? Standstill(
                length: .seconds(dice.chance(50) ? 3_600 : 25 * 3_600),
                repeated: (0..<dice.number(in: 1...3)).map { _ in dice.number(below: tasks) }) : nil
        let steps = activities.flatMap { plan in
            plan.steps.enumerated().map { Event(time: $1.time, kind: .activity(plan.number, step: $0, $1.kind)) }
        }
        let channels = History.channels(of: activities, seed: seed)
        channelRetention = channels.retention
        groups = History.groups(seed: seed, span: span)
        let makings = groups.enumerated().map { Event(time: $1.begin, kind: .group($0)) }
        let chosen = choices.events(&dice)
        subscribers = History.subscribers(seed: seed, devices: devices, span: span, among: chosen)
        let registrations = subscribers.enumerated().map { Event(time: $1.begin, kind: .subscriber($0)) }
        events = (posts + steps + channels.events + makings + registrations + chosen).sorted { $0.time < $1.time }
        // A device whose message is lost is open until its deadline: for a week if it may wait.
        let waitsAreShort = events.contains(where: \.isLossOfMessages)
        app = waitsAreShort ? drawnApp.withoutWaits : drawnApp
        orders = waitsAreShort ? said.map(\.withoutWaits) : said
    }

    /// How many tokens of activities apps report.
    var activityTokens: Int {
        activities.reduce(0) { count, plan in
            count + plan.steps.count { if case .report = $0.kind { true } else { false } }
        }
    }

    /// Some of the orders in dialects, which dice of their own draw; of some publishers all in one.
    private static func said(_ orders: [Order], posted times: [Duration], seed: UInt64) -> [Order] {
        var dice = Dice(seed: seed ^ 0xD1A1)
        let only = dice.chance(dialectPercent) ? dice.pick(OrderDialect.allCases) : nil
        return zip(orders, times).map { order, time in
            guard order.dialect == .native, only != nil || dice.chance(dialectPercent) else { return order }
            return order.said(in: only ?? dice.pick(OrderDialect.allCases), posted: time, dice: &dice) ?? order
        }
    }

    /// Drawn by dice of their own.
    private static func activities(seed: UInt64, devices: Int, span: Duration) -> [ActivityPlan] {
        var dice = Dice(seed: seed ^ 0xAC71)
        guard dice.chance(activityPercent) else { return [] }
        var tokens = 0
        let startable = (0..<devices).filter(Population.canStart)
        return (0..<dice.number(in: 1...2)).map { number in
            // Mostly with phones that show it.
            let users = (0..<dice.number(in: 1...4)).map { _ in
                dice.chance(50) ? dice.pick(startable) : dice.number(below: devices)
            }
            let phones = Population.phones(of: users, among: devices)
            return ActivityPlan(number: number, users: users, phones: phones, span: span, tokens: &tokens, dice: &dice)
        }
    }

    /// Drawn by dice of their own.
    private static func groups(seed: UInt64, span: Duration) -> [GroupPlan] {
        var dice = Dice(seed: seed ^ 0x6709)
        guard dice.chance(groupPercent) else { return [] }
        return (0..<dice.number(in: 1...2)).map { GroupPlan(number: $0, span: span, dice: &dice) }
    }

    /// Drawn by dice of their own. A device that another event removes has no plan: which of two calls at the same time
    /// counts is not known.
    private static func subscribers(
        seed: UInt64, devices: Int, span: Duration, among events: [Event]
    ) -> [SubscriberPlan] {
        var dice = Dice(seed: seed ^ 0x5C7B)
        guard dice.chance(subscriberPercent) else { return [] }
        let removed = Set(events.compactMap(\.removedDevice))
        var free = (0..<devices).filter { Population.hasPushd($0) && !removed.contains($0) }
        return (0..<dice.number(in: 1...3)).map { _ in
            let device = free.remove(at: dice.number(below: free.count))
            return SubscriberPlan(of: device, span: span, dice: &dice)
        }
    }

    /// How long they are kept, and whether and when Apple forgets them. Drawn by dice of their own.
    private static func channels(
        of activities: [ActivityPlan], seed: UInt64
    ) -> (retention: Duration?, events: [Event]) {
        let steps = activities.filter(\.hasChannel).flatMap(\.steps)
        guard !steps.isEmpty else { return (nil, []) }
        var dice = Dice(seed: seed ^ 0xC4A7)
        let retention = Duration.seconds(dice.chance(50) ? 5 : 300)
        guard dice.chance(forgottenPercent) else { return (retention, []) }
        // Mostly with updates, and perhaps another start, after it.
        let time = (steps.map(\.time).min() ?? .zero) + dice.duration(.seconds(3) ... .seconds(30))
        return (retention, [Event(time: time, kind: .forgetChannels)])
    }

    /// The numbers of the orders that a publisher posts.
    var posted: Set<Int> {
        Set(
            events.compactMap { event in
                switch event.kind {
                case .post(let number), .repeatPost(let number): number
                default: nil
                }
            })
    }

    /// True if a publisher may post the order again after it was answered.
    func isRepeated(_ number: Int) -> Bool {
        standstill?.repeated.contains(number) == true
            || events.contains { event in
                if case .repeatPost(number) = event.kind { true } else { false }
            }
    }
}
