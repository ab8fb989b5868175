import Bus
import CommandKit
import ServiceKit

/// Selects dead letters by channel and reason.
struct DeadFilter {
    static let options = [channelOption, reasonOption]

    private static let channelOption = CommandOption(
        "--channel", value: "NAME", meaning: "Only messages of this topic or lane, such as audience.fast")
    private static let reasonOption = CommandOption(
        "--reason", value: "REASON",
        meaning: "Only messages with this reason: undecodable, poison, exhausted or crashed")

    private let channel: String?
    private let reason: DeadLetter.Reason?

    init(_ arguments: CommandArguments) throws(UsageError) {
        channel = arguments.value(DeadFilter.channelOption)
        let text = arguments.value(DeadFilter.reasonOption)
        reason = text.flatMap { DeadLetter.Reason(rawValue: $0) }
        if let text, reason == nil {
            throw UsageError(
                "unknown reason \(text)" + Spelling.advice(text, among: DeadLetter.Reason.allCases.map(\.rawValue)))
        }
    }

    var isEmpty: Bool { channel == nil && reason == nil }

    func matches(_ letter: DeadLetter) -> Bool {
        (channel ?? letter.channel) == letter.channel && (reason ?? letter.reason) == letter.reason
    }
}
