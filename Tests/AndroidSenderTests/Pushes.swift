import ProviderKit
import PushModel
import Topics

func pushes(
    _ tokens: [String], kind: PushProtocol = .fcm, template: PayloadTemplate = .googleMessage, badge: UInt32 = 0
) -> [Push] {
    let content = PushContent(
        RenderedVariant(
            kind: kind, priority: .high, pushType: "", collapseID: "", expiration: 1_900_000_000, payload: template))
    return tokens.enumerated().map { number, token in
        Push(
            id: TaskID(high: 1, low: UInt64(number)), token: token, isSandbox: false, content: content, badge: badge)
    }
}

extension PayloadTemplate {
    static var googleMessage: PayloadTemplate {
        PayloadTemplate(
            parts: [Array(#"{"message":{"token":""#.utf8), Array(#""}}"#.utf8)], slots: [.token])
    }

    static func huaweiMessage(_ data: String = "x") -> PayloadTemplate {
        PayloadTemplate(
            parts: [Array(#"{"message":{"data":"\#(data)","token":[""#.utf8), Array(#""]}}"#.utf8)], slots: [.token])
    }
}

extension PushOutcome {
    var verdict: ProviderAnswer.Verdict? {
        guard case .answered(let answer) = self else { return nil }
        return answer.verdict
    }
}
