import PushModel
import ServiceKit

/// What the configuration of the app says.
struct AppSettings: Sendable {
    /// Of pushes to one device.
    var cap: PushCap?
    /// Pushes a second over all tasks.
    var rate: Int?
    /// In minutes of the day, which begins with the history.
    var quietHours: ClosedRange<Int>?
    /// Gets the reports of all tasks.
    let hasReportEndpoint: Bool
    /// Is told the states of messages, and of devices that leave.
    let hasWebhook: Bool
    /// Its pushes have proofs, and devices report what was opened.
    let hasReceipts: Bool

    init(_ dice: inout Dice) {
        if dice.chance(20) {
            cap = PushCap(count: dice.number(in: 1...3), period: dice.duration(.seconds(60) ... .seconds(600)))
        }
        if dice.chance(20) { rate = dice.number(in: 1...30) }
        if dice.chance(15) { quietHours = dice.number(in: 0...1)...dice.number(in: 2...30) }
        hasReportEndpoint = dice.chance(40)
        hasWebhook = dice.chance(30)
        hasReceipts = dice.chance(30)
    }
}

extension AppSettings {
    /// The same without what makes devices wait.
    var withoutWaits: AppSettings {
        var settings = self
        (settings.cap, settings.rate, settings.quietHours) = (nil, nil, nil)
        return settings
    }
}

extension AppSettings: CustomStringConvertible {
    var description: String {
        var parts: [String] = []
        if let cap { parts.append("\(cap.count) pushes to a device in \(cap.period.text)") }
        if let rate { parts.append("\(rate) pushes a second") }
        if let quietHours { parts.append("quiet from minute \(quietHours.lowerBound) to \(quietHours.upperBound)") }
        if hasReportEndpoint { parts.append("reports are posted") }
        if hasWebhook { parts.append("a webhook") }
        if hasReceipts { parts.append("receipts") }
        return parts.isEmpty ? "no rules" : parts.joined(separator: ", ")
    }
}
