import JSONKit
import PushModel
import ServiceKit
import TestSupport
import Testing

@testable import Apps

@Suite struct AppEditorTests {
    private let folder = TemporaryDirectory("apps")
    private let configuration: AppsConfiguration
    private let now = Timestamp(milliseconds: 1_767_225_600_000)
    private let news: AppID

    init() throws {
        configuration = AppsConfiguration(folder: folder.file("apps"))
        news = try AppID("news")
    }

    private func editor(at time: Timestamp? = nil) -> AppEditor {
        AppEditor(configuration, now: time ?? now)
    }

    private func path(_ name: String) -> String {
        "\(configuration.folder)/\(name)"
    }

    private func text(_ path: String) -> String? {
        SmallFile.read(path, bytesMaximum: 1 << 20).map { String(decoding: $0, as: UTF8.self) }
    }

    private func caller(_ key: APIKey, at time: Timestamp) -> Access.Caller {
        var inventory = AppInventory(configuration)
        _ = inventory.read()
        return AppSnapshot(inventory.apps, pepper: inventory.pepper)
            .access(presented: key.reveal(), peer: "", now: time).caller
    }

    private func code(_ body: () throws(AppsError) -> Void) -> AppsError.Code? {
        do throws(AppsError) {
            try body()
            return nil
        } catch {
            return error.code
        }
    }

    @Test func addMakesFolderPepperAndFile() throws {
        let key = try editor().add(
            news, scopes: [.register, .publish], allowing: [try AddressRange("10.0.0.0/8"), try AddressRange("::1")])
        #expect(caller(key, at: now) == .key(key.id))
        let survey = AppSurvey(configuration)
        #expect(survey.problems == [])
        #expect(survey.apps.first?.credentials.first?.scopes == [.register, .publish])
        #expect(survey.apps.first?.allowed.map { "\($0.range)" } == ["10.0.0.0/8", "::1"])
        #expect(TestFile.mode(of: path(".pepper")).map { $0 & 0o777 } == 0o600)
        #expect(TestFile.mode(of: path("news.json")).map { $0 & 0o777 } == 0o644)
        #expect(text(path("news.json"))?.contains(key.reveal().suffix(43)) == false)
    }

    @Test func nothingIsOverwritten() throws {
        let key = try editor().add(news)
        let pepper = text(path(".pepper"))
        #expect(code { () throws(AppsError) in _ = try editor().add(news) } == .exists)
        #expect(caller(key, at: now) == .key(key.id))
        _ = try editor().add(try AppID("shop"))
        #expect(text(path(".pepper")) == pepper)
    }

    /// With a second pepper the new key would work only where the old keys do not.
    @Test func noSecondPepperIsMadeBesideKeysOfAFirst() throws {
        _ = try editor().add(news)
        #expect(TestFile.rename(path(".pepper"), to: folder.file("pepper")))
        let shop = try AppID("shop")
        #expect(code { () throws(AppsError) in _ = try editor().add(shop) } == .missing)
        #expect(TestFile.mode(of: path(".pepper")) == nil)
        #expect(TestFile.mode(of: path("shop.json")) == nil)
        let elsewhere = AppsConfiguration(folder: configuration.folder, pepperFile: folder.file("pepper"))
        #expect(throws: Never.self) { try AppEditor(elsewhere, now: now).add(shop) }
    }

    @Test(arguments: [(0o644, true), (0o602, true), (0o620, true), (0o640, false), (0o440, false)])
    func aPepperThatOthersMayReadIsRefused(_ mode: UInt32, isRefused: Bool) throws {
        _ = try editor().add(news)
        #expect(TestFile.setMode(mode, of: path(".pepper")))
        let shop = try AppID("shop")
        #expect(code { () throws(AppsError) in _ = try editor().add(shop) } == (isRefused ? .unsafe : nil))
        #expect(AppSurvey(configuration).problems.isEmpty != isRefused)
    }

    @Test func aPepperThatIsNoSecretIsRefused() throws {
        #expect(TestFile.makeFolder(configuration.folder))
        folder.write("apps/.pepper", content: "short\n")
        #expect(TestFile.setMode(0o600, of: path(".pepper")))
        #expect(code { () throws(AppsError) in _ = try editor().add(news) } == .unreadable)
    }

    @Test func rotateLetsTheOldKeyExpireAndKeepsTheRest() throws {
        let old = try editor().add(news, scopes: [.read])
        let before = try JSON(try #require(text(path("news.json"))))
        var document = try #require(before.object)
        document["limits"] = .object(JSONObject([("devices", .integer(5))]))
        folder.write("apps/news.json", content: JSON.object(document).indentedText)
        #expect(TestFile.setMode(0o640, of: path("news.json")))

        let rotations = try editor().rotate(news, keeping: .seconds(60))
        let fresh = try #require(rotations.first)
        #expect(rotations.count == 1)
        #expect(fresh.rights.scopes == [.read] && fresh.replaced == 1)
        let later = now + .seconds(60)
        #expect(caller(old, at: now + .seconds(59)) == .key(old.id))
        #expect(caller(old, at: later) == .wrongKey)
        #expect(caller(fresh.key, at: later) == .key(fresh.key.id))
        #expect(AppSurvey(configuration).apps.first?.limits.devices == 5)
        #expect(TestFile.mode(of: path("news.json")).map { $0 & 0o777 } == 0o640)

        // At this time the first key has expired; the second expires no later than planned.
        _ = try editor(at: later).rotate(news, keeping: .zero)
        #expect(AppSurvey(configuration).apps.first?.credentials.count == 1)
        #expect(caller(fresh.key, at: later) == .wrongKey)
    }

    @Test func rotatingTwiceDoesNotLengthenALife() throws {
        let old = try editor().add(news)
        _ = try editor().rotate(news, keeping: .seconds(60))
        _ = try editor().rotate(news, keeping: .seconds(600))
        #expect(caller(old, at: now + .seconds(60)) == .wrongKey)
    }

    /// A key that may only register must not be replaced by one that may publish.
    @Test func everySetOfScopesGetsItsOwnKey() throws {
        _ = try editor().add(news, scopes: [.register])
        _ = try editor().add(try AppID("shop"), scopes: [.publish, .read])
        let entries = AppSurvey(configuration).apps.flatMap(\.credentials).map(CredentialText.json)
        folder.write(
            "apps/news.json", content: JSON.object(JSONObject([("credentials", .array(entries))])).indentedText)
        let rotations = try editor().rotate(news, keeping: .zero)
        #expect(rotations.map(\.rights.scopes) == [[.register], [.publish, .read]])
        #expect(AppSurvey(configuration).apps.first?.credentials.map(\.scopes) == [[.register], [.publish, .read]])
    }

    @Test func anAppWithoutKeysGetsItsFirst() throws {
        #expect(TestFile.makeFolder(configuration.folder))
        folder.write("apps/news.json", content: #"{"limits":{"devices":5}}"#)
        let rotation = try #require(try editor().rotate(news, keeping: .zero).first)
        #expect(rotation.rights.scopes == AppEditor.usualScopes)
        #expect(caller(rotation.key, at: now) == .key(rotation.key.id))
    }

    @Test func rotateFollowsALinkToItsFile() throws {
        _ = try editor().add(news)
        #expect(TestFile.rename(path("news.json"), to: folder.file("real.json")))
        #expect(TestFile.link(path("news.json"), to: "../real.json"))
        let rotation = try #require(try editor().rotate(news, keeping: .zero).first)
        #expect(TestFile.isLink(path("news.json")))
        #expect(caller(rotation.key, at: now) == .key(rotation.key.id))
    }

    @Test func whatCannotBeReadIsNotChanged() throws {
        _ = try editor().add(news)
        let error = #expect(throws: AppsError.self) { try editor().rotate(try AppID("newz"), keeping: .zero) }
        #expect(error?.message.hasSuffix("/newz.json; did you mean news?") == true)
        folder.write("apps/news.json", content: #"{"limit":{}}"#)
        #expect(code { () throws(AppsError) in _ = try editor().rotate(news, keeping: .zero) } == .invalid)
        #expect(text(path("news.json")) == #"{"limit":{}}"#)
    }

    @Test func newProvidersLeaveTheKeysAlone() throws {
        let key = try editor().add(news)
        let providers = try JSON(#"{"fcm":{"service_account_file":"/keys/fcm.json"}}"#)
        try editor().replace("providers", of: news, with: providers)
        #expect(AppSurvey(configuration).apps.first?.providers.fcm?.serviceAccountFile.path == "/keys/fcm.json")
        #expect(caller(key, at: now) == .key(key.id))
        let former = text(path("news.json"))
        let wrong = try JSON(#"{"fcm":{}}"#)
        #expect(code { () throws(AppsError) in try editor().replace("providers", of: news, with: wrong) } == .invalid)
        #expect(text(path("news.json")) == former)
    }

    @Test func providersAreReplacedOneByOne() throws {
        _ = try editor().add(news)
        let own = try editor().addWebPush(to: news, contact: nil)
        for name in ["a", "b"] {
            let providers = try #require(JSON(#"{"fcm":{"service_account_file":"/keys/\#(name)"}}"#).object)
            try editor().replaceProviders(providers, of: news)
            let app = try #require(AppSurvey(configuration).apps.first)
            #expect(app.providers.fcm?.serviceAccountFile.path == "/keys/\(name)")
            #expect(app.providers.webpush?.contact == own.contact)
        }
    }

    /// Goal: a command that was interrupted between the key and the app file is completed by the next one. Method: the
    /// app file is put back to what it was before the key.
    @Test func aKeyForBrowsersIsMadeOnce() throws {
        let key = try editor().add(news)
        let before = try #require(text(path("news.json")))
        let first = try editor().addWebPush(to: news, contact: nil)
        #expect(first.isNew && first.contact == "mailto:postmaster@news.invalid")
        #expect(first.file == folder.file("secrets/webpush/news.pem"))
        #expect(TestFile.mode(of: first.file).map { $0 & 0o777 } == 0o600)
        for part in ["secrets", "secrets/webpush"] {
            #expect(TestFile.mode(of: folder.file(part)).map { $0 & 0o777 } == 0o700)
        }
        #expect(Base64URL.decode(first.publicText)?.count == 65)
        #expect(text(path("news.json"))?.contains(#""../secrets/webpush/news.pem""#) == true)
        let survey = AppSurvey(configuration)
        #expect(survey.problems == [] && survey.apps.first?.providers.webpush?.contact == first.contact)
        #expect(caller(key, at: now) == .key(key.id))

        folder.write("apps/news.json", content: before)
        let again = try editor().addWebPush(to: news, contact: "mailto:a@b")
        #expect(again.publicText == first.publicText && again.contact == "mailto:a@b")
        let known = try editor().addWebPush(to: news, contact: nil)
        #expect(!known.isNew && known.publicText == first.publicText && known.contact == "mailto:a@b")
    }

    /// The path in the app file counts, wherever it leads.
    @Test func aKeyForBrowsersMayLieElsewhere() async throws {
        _ = try editor().add(news)
        _ = try await OpenSSLCommand.makeKey("own.pem", options: OpenSSLCommand.p256, in: folder)
        let entry = try JSON(#"{"webpush":{"key_file":"../own.pem","contact":"mailto:a@b"}}"#)
        try editor().replace("providers", of: news, with: entry)
        let key = try editor().addWebPush(to: news, contact: "mailto:c@d")
        #expect(!key.isNew && key.file == folder.file("own.pem"))
        let entered = AppSurvey(configuration).apps.first?.providers.webpush
        #expect(entered?.keyFile.path == "\(configuration.folder)/../own.pem" && entered?.contact == "mailto:c@d")
        #expect(TestFile.mode(of: folder.file("secrets")) == nil)
    }

    @Test func aFileThatIsNoKeyIsNotReplaced() throws {
        _ = try editor().add(news)
        let before = text(path("news.json"))
        #expect(TestFile.makeFolder(folder.file("secrets")) && TestFile.makeFolder(folder.file("secrets/webpush")))
        folder.write("secrets/webpush/news.pem", content: "no key")
        #expect(code { () throws(AppsError) in _ = try editor().addWebPush(to: news, contact: nil) } == .invalid)
        #expect(text(folder.file("secrets/webpush/news.pem")) == "no key" && text(path("news.json")) == before)
        let shop = try AppID("shop")
        #expect(code { () throws(AppsError) in _ = try editor().addWebPush(to: shop, contact: nil) } == .missing)
        #expect(TestFile.mode(of: folder.file("secrets/webpush/shop.pem")) == nil)
    }

    @Test func theNumberOfKeysIsBounded() throws {
        _ = try editor().add(news)
        for _ in 0..<63 { _ = try editor().rotate(news, keeping: .seconds(60)) }
        #expect(code { () throws(AppsError) in _ = try editor().rotate(news, keeping: .seconds(60)) } == .invalid)
        #expect(AppSurvey(configuration).apps.first?.credentials.count == 64)
        #expect(throws: Never.self) { try editor().rotate(news, keeping: .zero) }
    }

    @Test func twoDoNotChangeTheFolderAtOnce() throws {
        _ = try editor().add(news)
        let lock = try FolderLock(configuration.folder)
        #expect(code { () throws(AppsError) in _ = try editor().rotate(news, keeping: .zero) } == .unwritable)
        lock.release()
        #expect(throws: Never.self) { try editor().rotate(news, keeping: .zero) }
    }
}
