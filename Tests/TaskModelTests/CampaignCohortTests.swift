import PushModel
import TaskModel
import Testing

/// To which half of a campaign's users a user belongs.
@Suite struct CampaignCohortTests {
    private static let daily = "daily-reminder"

    private func method(_ app: String, _ campaign: String, _ user: String) throws -> DeliveryWindow.Method {
        CampaignCohort.comparedMethod(
            for: try Alias(.externalUser, value: user), campaign: campaign, in: try AppID(app))
    }

    /// Goal: a user has one method on every machine and in every version. Method: what another implementation of SHA-256
    /// gave for these names, the bytes of which count.
    @Test(
        arguments: [
            ("news", daily, "ada", .contextAware),
            ("news", daily, "eve", .contextAware),
            ("news", daily, "user@example.com", .traditional),
            ("news", "spring", "ada", .contextAware),
            ("shop", daily, "ada", .traditional),
            ("news", "", "ada", .traditional),
            ("news", daily, "\u{E9}", .contextAware),
            ("news", daily, "e\u{301}", .traditional),
            ("news", daily, "user-1", .contextAware),
            ("news", daily, "user-3", .traditional),
        ] as [(String, String, String, DeliveryWindow.Method)])
    func theNamesAloneDecide(app: String, campaign: String, user: String, expected: DeliveryWindow.Method) throws {
        for _ in 0..<2 { #expect(try method(app, campaign, user) == expected) }
    }

    /// Half of 100,000 users within half a percent of them.
    @Test(arguments: [daily, "", "spring/2026"])
    func theHalvesAreEqual(_ campaign: String) throws {
        let users = 100_000
        let traditional = try (0..<users).count { try method("news", campaign, "user-\($0)") == .traditional }
        #expect((users / 2 - users / 200...users / 2 + users / 200).contains(traditional), "\(traditional)")
    }

    @Test func theTextComesBack() {
        for method in DeliveryWindow.Method.allCases {
            for campaign in ["", Self.daily, "a/b", "\u{E9}"] {
                let cohort = CampaignCohort(campaign: campaign, method: method)
                #expect(CampaignCohort(cohort.text) == cohort)
            }
        }
        for text in ["", "traditional", "other/spring", "/spring"] { #expect(CampaignCohort(text) == nil) }
    }
}
