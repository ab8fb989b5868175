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
}
