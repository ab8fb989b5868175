import ProviderKit
import PushModel
import ServiceKit
import TestSupport
import Topics

let quietLog = Log(service: "test", level: .error, sink: CollectingSink())

/// Pushes of one variant to these addresses.
func pushes(
    _ addresses: [String], kind: PushProtocol = .http, type: String = "", body: String = "{}", collapseID: String = "",
    priority: RenderedVariant.Priority = .high, expiration: UInt32 = 1_900_000_000, first: Int = 0
) -> [Push] {
    let content = PushContent(
        RenderedVariant(
            kind: kind, priority: priority, pushType: type, collapseID: collapseID, expiration: expiration,
            payload: PayloadTemplate(Array(body.utf8))))
    return addresses.enumerated().map { number, address in
        Push(
            id: TaskID(high: 1, low: UInt64(first + number)), token: address, isSandbox: false, content: content,
            badge: 0)
    }
}

extension PushOutcome {
    static let delivered = PushOutcome.answered(ProviderAnswer(.delivered, reason: "", status: 201))
    static let serverError = PushOutcome.answered(ProviderAnswer(.retryLater(.soon), reason: "", status: 500))

    static func throttled(for seconds: Int, isAsked: Bool = true) -> PushOutcome {
        let advice = RetryAdvice(floor: .seconds(seconds), isAsked: isAsked)
        return .answered(ProviderAnswer(.throttled(.device, advice), reason: "", status: 429))
    }

    var answer: ProviderAnswer? {
        guard case .answered(let answer) = self else { return nil }
        return answer
    }

    var verdict: ProviderAnswer.Verdict? { answer?.verdict }

    var pause: Duration? {
        guard case .heldBack(let pause, _) = self else { return nil }
        return pause
    }

    var isNotSent: Bool {
        guard case .notSent = self else { return false }
        return true
    }
}
