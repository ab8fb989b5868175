import Apps
import JSONKit
import PushModel
import ServiceKit
import TestSupport
import Testing

@testable import Carillon

/// The app of a `carillon up`, over several starts.
@Suite struct LocalAppTests {
    private let home = TemporaryDirectory("up")
    private let time = ManualTimeSource()
    private let id: AppID
    private let folder: DataFolder

    init() throws {
        id = try AppID("demo")
        folder = try DataFolder(making: home.file("data"))
    }

    private var app: LocalApp { LocalApp(id, in: folder, time: time) }

    private func providers() throws -> ProviderCredentials {
        let survey = AppSurvey(folder.appsConfiguration)
        #expect(survey.problems.filter { $0.severity == .error } == [])
        return try #require(survey.apps.first { $0.id == id }).providers
    }

    /// Each subscription of a browser is bound to the key, so it must outlive restarts and the simulator's credentials.
    @Test func theKeyForBrowsersIsMadeOnceAndStays() throws {
        try app.prepare()
        let made = try #require(try providers().webpush)
        let file = folder.path + "/secrets/webpush/demo.pem"
        let key = try #require(SmallFile.read(file, bytesMaximum: 4_096))
        for number in 1...2 {
            let credentials = try JSON(#"{"fcm":{"service_account_file":"/run/fcm-\#(number)"}}"#)
            try app.renew(try #require(credentials.object))
            try app.prepare()
            let now = try providers()
            #expect(now.webpush == made && now.fcm?.serviceAccountFile.path == "/run/fcm-\(number)")
            #expect(SmallFile.read(file, bytesMaximum: 4_096) == key)
        }
    }

    /// An app of an earlier version gets a key at the next start; its other members stay.
    @Test func anAppWithoutAKeyForBrowsersGetsOne() throws {
        try app.prepare()
        let providers = try JSON(#"{"fcm":{"service_account_file":"/run/fcm"}}"#)
        try AppEditor(folder.appsConfiguration, now: time.now).replace("providers", of: id, with: providers)
        #expect(try self.providers().webpush == nil)
        try app.prepare()
        let now = try self.providers()
        #expect(now.webpush?.contact == "mailto:postmaster@demo.invalid" && now.fcm != nil)
    }
}
