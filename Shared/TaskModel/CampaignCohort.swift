package import PushModel
import Signing

/// The users of a campaign whose tasks have one method; the statistics tell cohorts apart.
package struct CampaignCohort: Hashable, Sendable {
    /// The label of a task that names its campaign.
    package static let label = "campaign"

    /// Empty for tasks without the label.
    package let campaign: String
    package let method: DeliveryWindow.Method

    package init(campaign: String, method: DeliveryWindow.Method) {
        self.campaign = campaign
        self.method = method
    }

    /// The value in the statistics: the method, which has no slash, and the campaign, which may have some.
    package var text: String { "\(method.rawValue)/\(campaign)" }

    /// Nil for any other text.
    package init?(_ text: String) {
        let bytes = text.utf8
        guard let slash = bytes.firstIndex(of: UInt8(ascii: "/")),
            let method = DeliveryWindow.Method(rawValue: String(text[..<slash]))
        else { return nil }
        self.init(campaign: String(text[bytes.index(after: slash)...]), method: method)
    }

    /// To which half of a campaign's users a user belongs whose method is compared. The same on every machine and at any
    /// time: nothing but these names decides.
    package static func comparedMethod(
        for user: Alias, campaign: String, in app: AppID
    ) -> DeliveryWindow.Method {
        let name = [app.text, campaign, user.value].joined(separator: "\u{0}")
        return SHA256.digest(of: Array(name.utf8))[0] & 1 == 0 ? .traditional : .contextAware
    }
}

extension TaskLabels {
    /// Empty without one.
    package var campaign: String { self[CampaignCohort.label] ?? "" }
}
