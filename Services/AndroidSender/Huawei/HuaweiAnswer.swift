import HTTPClient
import JSONKit
import ProviderKit
import PushModel
import ServiceKit

/// Decodes Huawei's answers. They are untrusted input: every answer yields a result.
enum HuaweiAnswer {
    /// A list of a thousand invalid tokens, each escaped twice since it is JSON in a JSON string.
    static let bytesMaximum = 4 << 20
    private static let limits = JSONLimits(bytesMaximum: bytesMaximum)

    /// Nil if the outcome of the devices cannot be determined.
    static func report(_ response: HTTPClientResponse) -> HuaweiErrorTable.Report? {
        let answer = response.isCut ? nil : try? JSON(response.body, limits: limits)
        guard let code = answer?["code"].flatMap(code) else {
            return 200..<300 ~= response.status ? nil : HuaweiErrorTable.Report()
        }
        var report = HuaweiErrorTable.Report(code: OutcomeReason.cut(code))
        guard code == "80100000" else { return report }
        // Some were sent and some were not: without the list of the illegal tokens it is unknown which.
        guard let message = answer?["msg"]?.text,
            let tokens = try? JSON(message, limits: limits)["illegal_tokens"]?.elements
        else { return nil }
        report.illegalTokens = Set(tokens.compactMap(\.text))
        return report
    }

    /// A string in the manual; a number from some gateways in between.
    private static func code(_ value: JSON) -> String? {
        guard case .integer(let number) = value else { return value.text }
        return String(number)
    }
}
