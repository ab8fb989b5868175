package import LocalTime
package import PushModel
package import Signing

/// One app as described in its file. A value: a copy does not follow later changes of the file.
package struct PushApp: Sendable, Equatable {
    package let id: AppID
    /// Identifiers of the app by dialect; several if the app has several bundle ids or numbers.
    package var identifiers: [TaskDialect: [String]] = [:]
    package var providers = ProviderCredentials()
    package var credentials: [Credential] = []
    package var allowed: [AllowedRange] = []
    /// A file with the secret under which the publisher's backend signs users for public keys.
    package var userTokenKeyFile: KeyFile?
    package var report: ReportEndpoint?
    package var webhook: WebhookEndpoint?
    package var limits = AppLimits()
    package var quietHours: QuietHours?
    package var defaults = AppDefaults()
    /// Derived from the pepper, not part of the file; nil without a pepper.
    package internal(set) var receiptKey: ReceiptKey?
    /// The same.
    package internal(set) var streamTicketKey: StreamTicketKey?
    /// That of `providers.webpush.key_file`, an uncompressed point; nil in a process that does not read this secret, and
    /// without a usable file. Not part of the file either.
    package internal(set) var webPushPublicKey: [UInt8]?

    package init(id: AppID) {
        self.id = id
    }
}
