package import PushModel

/// One app as its file describes it. A value: whoever holds one keeps it as it was when it was taken.
package struct PushApp: Sendable, Equatable {
    package let id: AppID
    /// What each dialect calls it; several where one app has several bundle ids or numbers.
    package var identifiers: [Dialect: [String]] = [:]
    package var providers = ProviderCredentials()
    package var credentials: [Credential] = []
    package var allowed: [AllowedRange] = []
    package var report: ReportEndpoint?
    package var limits = AppLimits()
    package var quietHours: QuietHours?
    package var defaults = AppDefaults()

    package init(id: AppID) {
        self.id = id
    }
}
