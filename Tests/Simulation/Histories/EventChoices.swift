import PushModel
import ServiceKit

/// Picks what is done to a pipeline. A seed leaves some kinds of events out of its history, so that the rest meets in
/// more combinations.
struct EventChoices {
    private enum Choice: CaseIterable {
        case kill, suspend, stop, mood, fault, clock, cancel, repeated, process, removal, moment, full, storeClock,
            rollback, endpoint, receipts, loss

        /// Most rules allow for a wrong clock, and a rebuild takes many steps.
        var isRare: Bool { self == .clock || self == .storeClock || self == .rollback }
    }

    private let tasks: [Duration]
    private let devices: Int
    private let span: Duration
    /// Each as often as it weighs.
    private var choices: [Choice] = []

    /// `tasks` are the times at which they are posted.
    init(tasks: [Duration], devices: Int, app: AppSettings, span: Duration, dice: inout Dice) {
        self.tasks = tasks
        self.devices = devices
        self.span = span
        for choice in Choice.allCases where EventChoices.concerns(app, choice) {
            let isLeftOut = dice.chance(choice.isRare ? 85 : 45)
            if !isLeftOut { choices += Array(repeating: choice, count: dice.number(in: 1...10)) }
        }
    }

    private static func concerns(_ app: AppSettings, _ choice: Choice) -> Bool {
        switch choice {
        case .endpoint: app.hasReportEndpoint || app.hasWebhook
        case .receipts: app.hasReceipts
        default: true
        }
    }

    func events(_ dice: inout Dice) -> [Event] {
        guard !choices.isEmpty else { return [] }
        return (0..<dice.number(in: 2...16)).map { _ in
            let time = time(&dice)
            return Event(time: time, kind: kind(dice.pick(choices), at: time, &dice))
        }
    }

    /// Mostly while the devices of a task are being sent to.
    private func time(_ dice: inout Dice) -> Duration {
        dice.chance(70)
            ? min(span, dice.pick(tasks) + dice.duration(.zero ... .seconds(6))) : dice.duration(.zero...span)
    }

    /// Mostly the one that was posted last.
    private func task(at time: Duration, _ dice: inout Dice) -> Int {
        let last = tasks.indices.filter { tasks[$0] <= time }.max { tasks[$0] < tasks[$1] }
        return dice.chance(60) ? last ?? 0 : dice.number(below: tasks.count)
    }

    private func kind(_ choice: Choice, at time: Duration, _ dice: inout Dice) -> Event.Kind {
        let services = Role.allCases.filter { $0 != .ingest }
        switch choice {
        case .kill: return .kill(dice.pick(Role.allCases), after: dice.number(below: 60))
        case .suspend:
            // A sender may hold claims meanwhile.
            let role = dice.pick(dice.chance(50) ? [.apple, .android, .web] : services)
            return .suspend(role, after: dice.number(below: 60), dice.duration(.seconds(1) ... .seconds(180)))
        case .stop: return .stop(dice.pick(services))
        case .mood:
            return .providers(
                dice.pick(SimulatedProvider.Mood.allCases), dice.duration(.seconds(1) ... .seconds(60)))
        case .endpoint:
            return .endpoint(
                dice.pick(SimulatedEndpoint.Mood.allCases), dice.duration(.seconds(1) ... .seconds(60)))
        case .fault:
            return .faults(dice.pick(Event.FaultKind.allCases), dice.duration(.seconds(1) ... .seconds(40)))
        case .clock:
            let role = dice.pick(services)
            return .clock(role, clockError(&dice))
        case .cancel: return .cancel(task(at: time, &dice))
        case .repeated:
            let number = dice.number(below: tasks.count)
            return dice.chance(30) ? .postOther(number) : .repeatPost(number)
        case .process: return .addProcess(dice.pick(services))
        case .removal:
            return .removeDevice(
                dice.number(below: devices), back: dice.chance(50) ? dice.duration(.zero ... .seconds(60)) : nil)
        case .moment: return .goodMoment(dice.number(below: tasks.count))
        case .receipts: return .receipts(dice.chance(50) ? .opened : dice.pick(ReceiptKind.allCases))
        case .full: return .memoryIsFull(dice.duration(.seconds(1) ... .seconds(60)))
        case .storeClock: return .storeClock(clockError(&dice))
        case .loss:
            return .busLoses(
                dice.pick(Role.allCases.filter { !$0.workThatExpires.isEmpty }), dice.number(in: 1...20),
                suspended: dice.duration(.seconds(10) ... .seconds(90)))
        case .rollback: return .storeGoesBack(dice.duration(.zero ... .seconds(40)))
        }
    }

    private func clockError(_ dice: inout Dice) -> Duration {
        let error = dice.duration(.zero ... .seconds(120))
        return dice.chance(50) ? error : .zero - error
    }
}
