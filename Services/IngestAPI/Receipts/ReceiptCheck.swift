import JSONKit
import PushModel
import ServiceKit
import Signing
import Store
import Topics

/// Checks the receipts of one request without a look at any store: the proof alone decides.
struct ReceiptCheck {
    /// Why a receipt is refused. The raw value is part of the API.
    enum Reason: String, CaseIterable {
        case malformed
        /// The proof is not this app's, or one for another task or device.
        case forged
        /// The task began too long ago.
        case late
        /// The task has not begun.
        case early
    }

    struct Refusal: Error, Equatable {
        let reason: Reason
        let message: String
    }

    struct Proven: Equatable {
        let task: TaskID
        let day: UInt16
        let receipt: DeviceReceipt
    }

    /// How far the clock of the process that accepted a task may be ahead.
    private static let clockDifference = Duration.seconds(3_600)

    /// Nil without a pepper; nothing can be proven then.
    private let key: ReceiptKey?
    private let now: Timestamp
    private let days: ClosedRange<UInt16>
    /// Most requests are about few tasks.
    private var provers: [TaskID: ReceiptProver] = [:]

    init(key: ReceiptKey?, now: Timestamp) {
        self.key = key
        self.now = now
        let (today, latest) = (ReceiptProof.day(of: now), ReceiptProof.day(of: now + ReceiptCheck.clockDifference))
        days = (today - min(today, TaskReceiptBounds.daysAccepted))...latest
    }

    mutating func check(_ element: JSON) throws(Refusal) -> Proven {
        let problems = JSONProblems()
        let form = ReceiptForm(JSONFields(element, problems: problems))
        guard let form, problems.all.isEmpty else {
            throw Refusal(reason: .malformed, message: problems.all.first?.description ?? "expected an object")
        }
        let day = form.proof.day
        guard day >= days.lowerBound else {
            throw Refusal(
                reason: .late, message: "the task began more than \(TaskReceiptBounds.daysAccepted) days ago")
        }
        guard day <= days.upperBound else { throw Refusal(reason: .early, message: "the task has not begun") }
        guard let platform = platform(of: form) else {
            throw Refusal(
                reason: .forged, message: "the proof is not the one in the app's push of this task to this device")
        }
        let time = min(max(form.time ?? now, ReceiptProof.begin(of: day)), now)
        return Proven(
            task: form.task, day: day,
            receipt: DeviceReceipt(
                device: form.device, on: platform, kind: form.kind, action: form.action, time: time))
    }

    private mutating func platform(of form: ReceiptForm) -> Platform? {
        guard let key else { return nil }
        let prover = provers[form.task] ?? ReceiptProver(key.taskKey(of: form.task))
        provers[form.task] = prover
        return prover.platform(provenBy: form.proof, of: form.device)
    }
}
