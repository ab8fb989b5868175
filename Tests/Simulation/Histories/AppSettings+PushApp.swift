import LocalTime
import PushModel
import Signing
import TaskModel

@testable import Apps

extension AppSettings {
    /// As from the file of the app. The files that it names are never read.
    func app(_ id: AppID) -> PushApp {
        var app = PushApp(id: id)
        app.providers = AppSettings.providers
        app.identifiers = [
            .richie: [SimulatedApp.richieID], .appmetrica: [SimulatedApp.appMetricaID],
            .contextpush: [SimulatedApp.contextPushID], .pushwoosh: [SimulatedApp.pushwooshID],
        ]
        app.defaults.timeToLive = SimulatedApp.timeToLive
        app.limits.pushesPerDevice = cap
        app.limits.devicesPerSecond = rate
        app.quietHours = quietHours.map {
            QuietHours(start: $0.lowerBound, end: $0.upperBound, timeZone: DeliveryRules.fallbackZone)
        }
        if hasReportEndpoint { app.report = ReportEndpoint(url: "https://backend.example/reports") }
        if hasWebhook {
            app.webhook = WebhookEndpoint(
                url: "https://backend.example/states", secretFile: AppSettings.file("secret_file"))
        }
        if hasReceipts { app.receiptKey = ReceiptKey(secret: AppSettings.pepper, app: id) }
        return app
    }

    private static let pepper = [UInt8](repeating: 7, count: 32)

    private static func file(_ field: String) -> KeyFile { KeyFile(field: field, path: "key") }

    /// Of all kinds.
    private static let providers: ProviderCredentials = {
        var providers = ProviderCredentials()
        providers.apns = APNsCredentials(
            proof: .token(keyFile: file("key_file"), keyID: "ABCDE12345", teamID: "TEAM000000"),
            topic: "com.example.news")
        providers.fcm = FCMCredentials(serviceAccountFile: file("service_account_file"), project: nil)
        providers.huawei = HuaweiCredentials(
            clientID: "100123456", clientSecretFile: file("client_secret_file"), project: nil)
        providers.webpush = WebPushCredentials(keyFile: file("key_file"), contact: "mailto:push@example.com")
        providers.wns = WNSCredentials(
            clientID: "ms-app://s-1-15-2-1234", clientSecretFile: file("client_secret_file"), tenant: nil)
        providers.mpns = MPNSCredentials()
        providers.http = HTTPPushCredentials()
        return providers
    }()
}
