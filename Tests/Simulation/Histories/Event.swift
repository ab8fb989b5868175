import PushModel
import ServiceKit

/// Something that happens to the pipeline from outside.
struct Event: Sendable, CustomStringConvertible {
    enum Kind: Sendable {
        /// A publisher posts the order of this number, and repeats it until it is answered.
        case post(Int)
        /// The same request again.
        case repeatPost(Int)
        /// Another request with the same key.
        case postOther(Int)
        case cancel(Int)
        /// The step of the Live Activity of this number.
        case activity(Int, step: Int, ActivityPlan.Kind)
        /// A publisher makes the group of transfers of this number.
        case group(Int)
        /// The app on the device of the plan of this number makes its calls.
        case subscriber(Int)
        /// Apple loses all channels of Live Activities that there are.
        case forgetChannels
        /// A process is killed as soon as it has done so many more things.
        case kill(Role, after: Int)
        case stop(Role)
        /// As soon as it has done so many more things, the process does nothing for so long, and goes on.
        case suspend(Role, after: Int, Duration)
        case providers(SimulatedProvider.Mood, Duration)
        case endpoint(SimulatedEndpoint.Mood, Duration)
        case faults(FaultKind, Duration)
        case clock(Role, Duration)
        case addProcess(Role)
        /// The device leaves the app, and perhaps comes back after a while.
        case removeDevice(Int, back: Duration?)
        /// The first user of this task is at a good moment.
        case goodMoment(Int)
        /// The devices report this about all pushes that they got so far.
        case receipts(ReceiptKind)
        /// The stores come back as they were so long ago; later an operator has them rebuilt.
        case storeGoesBack(Duration)
        /// The bus keeps messages for a shorter time than a suspended process is behind: so many of each partition that
        /// the process reads are gone.
        case busLoses(Role, Int, suspended: Duration)
        /// The stores refuse what needs memory.
        case memoryIsFull(Duration)
        case storeClock(Duration)
    }

    enum FaultKind: String, CaseIterable, Sendable {
        case storeRefusals
        case lostStoreAnswers
        case busRefusals
        case lostBusAnswers
        case slowCalls
    }

    let time: Duration
    let kind: Kind

    var removedDevice: Int? {
        if case .removeDevice(let number, _) = kind { number } else { nil }
    }

    func isOf(_ plan: ActivityPlan) -> Bool {
        if case .activity(plan.number, _, _) = kind { true } else { false }
    }

    func isOfSubscriber(_ plan: Int) -> Bool {
        if case .subscriber(plan) = kind { true } else { false }
    }

    var description: String {
        "\(time.text): \(text)"
    }

    private var text: String {
        switch kind {
        case .post(let number): "post task \(number)"
        case .repeatPost(let number): "post task \(number) again"
        case .postOther(let number): "post another text with the key of task \(number)"
        case .activity(let number, let step, let kind): "activity \(number), step \(step): \(kind)"
        case .cancel(let number): "cancel task \(number)"
        case .group(let number): "make and change group \(number)"
        case .subscriber(let number): "the app of subscriber \(number) calls"
        case .forgetChannels: "Apple forgets all channels"
        case .kill(let role, let steps): "kill a process of \(role) after \(steps) more effects"
        case .stop(let role): "restart a process of \(role)"
        case .suspend(let role, let steps, let duration):
            "suspend a process of \(role) after \(steps) more effects for \(duration.text)"
        case .providers(let mood, let duration): "providers are \(mood) for \(duration.text)"
        case .endpoint(let mood, let duration): "the app's endpoint is \(mood) for \(duration.text)"
        case .faults(let kind, let duration): "\(kind.rawValue) for \(duration.text)"
        case .clock(let role, let error): "a clock of \(role) is off by \(error.text)"
        case .addProcess(let role): "one more process of \(role)"
        case .removeDevice(let number, let back):
            "remove device \(number)\(back.map { ", which comes back after \($0.text)" } ?? "")"
        case .goodMoment(let number): "a good moment of the first user of task \(number)"
        case .receipts(let kind): "devices report all pushes as \(kind.name)"
        case .memoryIsFull(let duration): "the stores are full for \(duration.text)"
        case .storeClock(let error): "the clock of the stores is off by \(error.text)"
        case .busLoses(let role, let count, let duration):
            "the bus loses \(count) messages of each partition for \(role), which is suspended for \(duration.text)"
        case .storeGoesBack(let age): "the stores go back by \(age.text)"
        }
    }
}
