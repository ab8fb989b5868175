import HistoryJudge
import ServiceKit

/// What the app on a device calls of pushd's routes, one call after another.
struct SubscriberPlan: Sendable {
    enum Step: Sendable {
        /// Also a device that is registered already.
        case register
        case change(category: String)
        case subscribe(String, ignoresText: Bool)
        case unsubscribe(String)
        /// These subscriptions, and no others.
        case replace([String: Bool])
        /// The device leaves the app.
        case remove
    }

    struct Call: Sendable {
        /// Before it, after the answer to the last one.
        let pause: Duration
        let step: Step
    }

    /// To which no task is sent.
    static let otherTopics = ["culture", "weather"]
    private static let pauses = Duration.zero ... .seconds(15)

    let device: Int
    let begin: Duration
    let calls: [Call]

    init(of device: Int, span: Duration, dice: inout Dice) {
        self.device = device
        begin = dice.duration(.zero...span * 0.7)
        var steps = [Step.register]
        for _ in 0..<dice.number(in: 1...6) {
            // A device that left can only come back.
            steps.append(steps.last?.isRemoval == true ? .register : Step(&dice))
        }
        calls = steps.map { Call(pause: dice.duration(SubscriberPlan.pauses), step: $0) }
    }

    /// The judge expects the text of a task in all pushes.
    fileprivate static func mayIgnoreText(_ topic: String) -> Bool { topic != Population.topicName }
}

extension SubscriberPlan.Step {
    var isRemoval: Bool {
        if case .remove = self { true } else { false }
    }

    /// The state of a device after this step; nil for one that is not registered.
    func applied(to state: JudgedSubscriber.State?) -> JudgedSubscriber.State? {
        guard var state else { return JudgedSubscriber.State() }
        switch self {
        case .register: break
        case .change(let category): state.category = category
        case .subscribe(let topic, let ignoresText): state.subscriptions[topic] = ignoresText
        case .unsubscribe(let topic): state.subscriptions[topic] = nil
        case .replace(let subscriptions): state.subscriptions = subscriptions
        case .remove: return nil
        }
        return state
    }

    fileprivate init(_ dice: inout Dice) {
        let topics = [Population.topicName, Population.topicName] + SubscriberPlan.otherTopics
        switch dice.number(below: 12) {
        case 0: self = .register
        case 1: self = .change(category: "category \(dice.number(below: 3))")
        case 2...4:
            let topic = dice.pick(topics)
            self = .subscribe(topic, ignoresText: SubscriberPlan.mayIgnoreText(topic) && dice.chance(50))
        case 5...7: self = .unsubscribe(dice.pick(topics))
        case 8, 9:
            let chosen = Set(topics).sorted().filter { _ in dice.chance(50) }
            let subscriptions = chosen.map { ($0, SubscriberPlan.mayIgnoreText($0) && dice.chance(50)) }
            self = .replace(Dictionary(uniqueKeysWithValues: subscriptions))
        default: self = .remove
        }
    }
}

extension SubscriberPlan: CustomStringConvertible {
    var description: String {
        "device \(device), " + calls.map { "after \($0.pause.text) \($0.step)" }.joined(separator: ", ")
    }
}
