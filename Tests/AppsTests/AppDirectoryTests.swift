import PushModel
import ServiceKit
import Signing
import TestSupport
import Testing

@testable import Apps

/// Tests on a real folder, watched while its files are added, changed, broken and removed.
@Suite(.timeLimit(.minutes(5))) struct AppDirectoryTests {
    private let folder = TemporaryDirectory("apps")
    private let time = ManualTimeSource()
    private let sink = CollectingSink()
    private let metrics = Metrics()
    private let health: Health
    private let configuration: AppsConfiguration

    init() {
        health = Health(time: time)
        configuration = AppsConfiguration(folder: folder.path)
    }

    private func open() async -> AppDirectory {
        await AppDirectory.open(
            configuration, log: Log(service: "test", sink: sink, time: time), metrics: metrics, health: health,
            time: time)
    }

    /// Runs the directory's loop. `check` makes it check the folder once and returns afterwards.
    private func whileWatching(
        _ directory: AppDirectory, body: (_ check: () async throws -> Void) async throws -> Void
    ) async throws {
        try await withRunning(directory) {
            try await body {
                try #require(await time.hasSleepers(1))
                time.advance(by: configuration.interval)
                try #require(await time.hasSleepers(1))
            }
        }
    }

    private func editor() -> AppEditor {
        AppEditor(configuration, now: time.now)
    }

    private func messages() -> [String] {
        sink.lines.compactMap { line in
            line.split(separator: "\"message\":\"").last.map { String($0.prefix { $0 != "\"" }) }
        }
    }

    @Test func aKeyOpensItsApp() async throws {
        let key = try editor().add(try AppID("news"), scopes: [.register, .publish])
        let directory = await open()
        let access = directory.access(presented: key.reveal(), peer: "192.0.2.1")
        #expect(access.caller == .key(key.id))
        #expect(access.apps(with: .register).map(\.id.text) == ["news"])
        #expect(access.apps(with: .broadcast) == [])
        #expect(!sink.lines.contains { $0.contains(key.reveal()) || $0.contains("hmac") })
    }

    @Test func filesThatComeChangeAndGoAreSeen() async throws {
        let directory = await open()
        #expect(directory.current.apps.isEmpty)
        try await whileWatching(directory) { check in
            let key = try editor().add(try AppID("news"))
            try await check()
            #expect(directory.access(presented: key.reveal(), peer: "").caller == .key(key.id))

            folder.write("news.json", content: #"{"allow":[{"range":"10.0.0.0/8","scopes":["read"]}]}"#)
            try await check()
            #expect(directory.access(presented: key.reveal(), peer: "10.1.1.1").caller == .wrongKey)
            #expect(directory.access(presented: nil, peer: "10.1.1.1").apps(with: .read).count == 1)

            try #require(TestFile.remove(folder.file("news.json")))
            try await check()
            #expect(directory.access(presented: nil, peer: "10.1.1.1").caller == .anonymous)
        }
        #expect(messages() == ["app added", "app changed", "app removed: file deleted"])
    }

    @Test func aBrokenFileKeepsItsLastGoodVersion() async throws {
        folder.write("news.json", content: #"{"identifiers":{"richie":"news-app"}}"#)
        let directory = await open()
        try await whileWatching(directory) { check in
            folder.write("news.json", content: "{\n  \"identifiers\": {\"richie\": 7},\n  \"limit\": {}\n}")
            try await check()
            try await check()
            #expect(directory.current.app(.richie, identifier: "news-app")?.id.text == "news")
            #expect(sink.lines.filter { $0.contains("identifiers.richie") }.count == 1, "logged more than once")
            #expect(sink.lines.contains { $0.contains("news.json: limit: unknown field; did you mean limits?") })
            #expect(metrics.gauge(.appFilesBroken).value == 1)
            #expect(metrics.gauge(.appsLoaded).value == 1)
            #expect(health.remarks().count == 1)
            #expect(await health.obstacles() == [])

            folder.write("news.json", content: #"{"identifiers":{"richie":"other"}}"#)
            try await check()
            #expect(directory.current.app(.richie, identifier: "other")?.id.text == "news")
            #expect(health.remarks() == [])
            #expect(metrics.gauge(.appFilesBroken).value == 0)
            #expect(messages().last == "app file problem resolved")
        }
    }

    /// Kubernetes mounts a folder as links through `..data`, and updates it by replacing that one link.
    @Test func aFolderExchangedBehindALinkIsSeen() async throws {
        for (version, name) in [("..1", "first"), ("..2", "other")] {
            #expect(TestFile.makeFolder(folder.file(version)))
            // Both have the same size, so only the content differs.
            folder.write("\(version)/news.json", content: #"{"identifiers":{"richie":"\#(name)"}}"#)
        }
        #expect(TestFile.link(folder.file("..data"), to: "..1"))
        #expect(TestFile.link(folder.file("news.json"), to: "..data/news.json"))
        let directory = await open()
        #expect(directory.current.app(.richie, identifier: "first") != nil)
        try await whileWatching(directory) { check in
            #expect(TestFile.link(folder.file("..data_tmp"), to: "..2"))
            #expect(TestFile.rename(folder.file("..data_tmp"), to: folder.file("..data")))
            try await check()
            #expect(directory.current.app(.richie, identifier: "other") != nil)
            #expect(directory.current.apps.count == 1)
        }
        #expect(messages() == ["app added", "app changed"])
    }

    @Test func aFolderThatIsAwayTakesNoAppAway() async throws {
        let home = TemporaryDirectory("apps")
        let configuration = AppsConfiguration(folder: home.file("apps"))
        let directory = await AppDirectory.open(
            configuration, log: Log(service: "test", sink: sink, time: time), metrics: metrics, health: health,
            time: time)
        #expect(health.remarks().first?.contains("cannot be read: No such file") == true)
        #expect(directory.access(presented: nil, peer: "127.0.0.1").caller == .anonymous)
        try await whileWatching(directory) { check in
            let key = try AppEditor(configuration, now: time.now).add(try AppID("news"))
            try await check()
            #expect(health.remarks() == [])
            #expect(TestFile.rename(home.file("apps"), to: home.file("away")))
            try await check()
            #expect(directory.access(presented: key.reveal(), peer: "").caller == .key(key.id))
            #expect(health.remarks().count == 1)
        }
    }

    @Test func thePepperMayComeLaterAndGo() async throws {
        let key = try editor().add(try AppID("news"))
        #expect(TestFile.rename(folder.file(".pepper"), to: folder.file("kept")))
        let directory = await open()
        #expect(directory.access(presented: key.reveal(), peer: "").caller == .wrongKey)
        #expect(sink.lines.contains { $0.contains("is missing, so all keys are rejected") })
        try await whileWatching(directory) { check in
            #expect(TestFile.rename(folder.file("kept"), to: folder.file(".pepper")))
            try await check()
            #expect(directory.access(presented: key.reveal(), peer: "").caller == .key(key.id))
            #expect(TestFile.remove(folder.file(".pepper")))
            try await check()
            #expect(directory.access(presented: key.reveal(), peer: "").caller == .key(key.id), "kept until replaced")
            #expect(health.remarks().count == 1)
        }
    }

    @Test func aMissingKeyFileIsAWarningAndTheAppCounts() async throws {
        folder.write(
            "news.json",
            content: #"""
                {"identifiers":{"richie":"a"},"providers":{"huawei":{"client_id":"1","client_secret_file":"keys/huawei"}},
                "report":{"url":"https://example.com","authorization_file":"auth"}}
                """#)
        folder.write("auth", content: "Bearer x")
        let directory = await open()
        #expect(directory.current.app(.richie, identifier: "a") != nil)
        #expect(metrics.gauge(.appFilesBroken).value == 0)
        #expect(
            health.remarks() == [
                """
                apps: news.json: providers.huawei.client_secret_file: \(folder.path)/keys/huawei cannot be read: \
                No such file or directory
                """
            ])
        try await whileWatching(directory) { check in
            #expect(TestFile.makeFolder(folder.file("keys")))
            folder.write("keys/huawei", content: "secret")
            try await check()
            #expect(health.remarks() == [])
        }
        #expect(messages() == ["app added", "app file warning", "app file problem resolved"])
    }

    /// Goal: a wrong key is reported when the file appears, not at the first push. Method: replace Apple's key by one
    /// file after the other; the last one is valid.
    @Test func whatAKeyFileHoldsIsLookedAt() async throws {
        let right = try await OpenSSLCommand.makeKey("right.p8", options: OpenSSLCommand.p256, in: folder)
        let curve = try await OpenSSLCommand.makeKey("curve.p8", options: OpenSSLCommand.p384, in: folder)
        folder.write("text.p8", content: "no key at all")
        folder.write(
            "news.json",
            content: #"""
                {"providers":{"apns":{"key_file":"AuthKey.p8","key_id":"ABCDE12345","team_id":"TEAM000000",
                "topic":"com.example"},"fcm":{"service_account_file":"account"}}}
                """#)
        folder.write("account", content: #"{"project_id":"p"}"#)
        let directory = await open()
        try await whileWatching(directory) { check in
            for (file, complaint) in [("text.p8", "holds no key"), (curve, "ES256 needs")] {
                #expect(TestFile.link(folder.file("next"), to: file))
                #expect(TestFile.rename(folder.file("next"), to: folder.file("AuthKey.p8")))
                try await check()
                let remark = try #require(health.remarks().first)
                #expect(
                    remark.contains("news.json: providers.apns.key_file: ") && remark.contains(complaint), "\(remark)")
                #expect(remark.hasSuffix("and 1 more"), "the service account")
            }
            #expect(TestFile.link(folder.file("next"), to: right))
            #expect(TestFile.rename(folder.file("next"), to: folder.file("AuthKey.p8")))
            try await check()
            #expect(health.remarks().first?.contains("account is not a service account: client_email") == true)
        }
        #expect(directory.current.apps.count == 1, "devices can still register")
    }

    /// Goal: pages get the public key of the file that is there now. Method: the file is replaced, damaged and read by a
    /// process that does not read this secret.
    @Test func thePublicKeyForBrowsersFollowsItsFile() async throws {
        folder.write(
            "news.json", content: #"{"providers":{"webpush":{"key_file":"key.pem","contact":"mailto:a@b"}}}"#)
        let keys = try (0..<2).map { _ in try VAPIDKey.generated() }
        folder.write("key.pem", content: try keys[0].privateKeyText().reveal())
        let directory = await open()
        func current() -> [UInt8]? { directory.current.apps.first?.webPushPublicKey }
        #expect(current() == keys[0].publicPoint)
        try await whileWatching(directory) { check in
            folder.write("next.pem", content: try keys[1].privateKeyText().reveal())
            #expect(TestFile.rename(folder.file("next.pem"), to: folder.file("key.pem")))
            try await check()
            #expect(current() == keys[1].publicPoint)
            folder.write("next.pem", content: "no key")
            #expect(TestFile.rename(folder.file("next.pem"), to: folder.file("key.pem")))
            try await check()
            #expect(current() == nil)
            #expect(health.remarks().first?.contains("news.json: providers.webpush.key_file: ") == true)
            folder.write("next.pem", content: try keys[0].privateKeyText().reveal())
            #expect(TestFile.rename(folder.file("next.pem"), to: folder.file("key.pem")))
            try await check()
            #expect(current() == keys[0].publicPoint && health.remarks() == [])
        }
        let other = await AppDirectory.open(
            AppsConfiguration(folder: folder.path, secrets: [.pepper]),
            log: Log(service: "test", sink: sink, time: time), metrics: Metrics(), health: Health(time: time),
            time: time)
        #expect(other.current.apps.count == 1 && other.current.apps.first?.webPushPublicKey == nil)
    }

    /// Goal: a process needs no secret that it does not use. Method: processes of each kind read an app that names a
    /// file of every kind, none of which exists.
    @Test(
        arguments: [
            ([], []), ([.pepper], [".pepper"]), ([.apns], ["providers.apns.key_file"]),
            ([.fcm, .huawei], ["providers.fcm.service_account_file", "providers.huawei.client_secret_file"]),
            ([.report], ["report.authorization_file", "report.signing_key_file", "webhook.secret_file"]),
            ([.users], ["user_tokens.key_file"]), ([.webpush], ["providers.webpush.key_file"]),
            ([.wns], ["providers.wns.client_secret_file"]),
            ([.mpns], ["providers.mpns.certificate_file", "providers.mpns.certificate_key_file"]),
            ([.http], ["providers.http.signing_key_file"]),
        ] as [(Set<AppSecret>, [String])])
    func aSecretIsMissedOnlyWhereItIsRead(_ secrets: Set<AppSecret>, missed: [String]) async throws {
        let key = try editor().add(try AppID("news"))
        let file = try #require(SmallFile.read(folder.file("news.json"), bytesMaximum: 1_024))
        folder.write(
            "news.json",
            content: #"""
                {"providers":{"apns":{"key_file":"a","key_id":"ABCDE12345","team_id":"TEAM000000","topic":"com.example"},
                "fcm":{"service_account_file":"f"},"huawei":{"client_id":"1","client_secret_file":"h"},
                "webpush":{"key_file":"w","contact":"mailto:a@b"},"wns":{"client_id":"1","client_secret_file":"n"},
                "mpns":{"certificate_file":"c","certificate_key_file":"k"},"http":{"signing_key_file":"t"}},
                "report":{"url":"https://example.com","authorization_file":"r","signing_key_file":"s"},
                "webhook":{"url":"https://example.com","secret_file":"c"},
                "user_tokens":{"key_file":"u"},
                """# + String(decoding: file.dropFirst(), as: UTF8.self))
        #expect(TestFile.remove(folder.file(".pepper")))
        let directory = await AppDirectory.open(
            AppsConfiguration(folder: folder.path, secrets: secrets), log: Log(service: "test", sink: sink, time: time),
            metrics: metrics, health: health, time: time)
        let app = try #require(directory.current.apps.first, "the app is loaded without its files")
        #expect(app.credentials.map(\.id) == [key.id])
        let reasons = sink.lines.filter { $0.contains("cannot be read") || $0.contains("is missing") }
        #expect(reasons.count == missed.count, "\(reasons)")
        for field in missed { #expect(reasons.contains { $0.contains(field) }, "\(field)") }
        #expect(health.remarks().isEmpty == missed.isEmpty)
        let keyFiles = missed.filter { $0 != ".pepper" }
        #expect(metrics.gauge(.appKeyFilesUnusable).value == keyFiles.count)
        #expect(metrics.gauge(.appFilesBroken).value == 0)
    }

    @Test func whatIsNoSmallFileIsNamedAndHoldsNothingUp() async throws {
        #expect(TestFile.makeFolder(folder.file("folder.json")))
        #expect(TestFile.makePipe(folder.file("pipe.json")))
        #expect(TestFile.link(folder.file("nowhere.json"), to: "nothing"))
        folder.write("large.json", content: String(repeating: " ", count: 256 * 1_024 + 1))
        folder.write("notes.txt", content: "not an app")
        folder.write(".hidden.json", content: "not an app")
        let directory = await open()
        #expect(directory.current.apps.isEmpty)
        #expect(metrics.gauge(.appFilesBroken).value == 3)
        for sentence in ["folder.json: is not a", "pipe.json: is not a", "large.json: is larger than 256KiB"] {
            #expect(sink.lines.contains { $0.contains(sentence) }, "\(sentence)")
        }
    }

    @Test func itsLoopTicksWhileItWorksAndRestsWhileItWaits() async throws {
        let directory = await open()
        try await whileWatching(directory) { check in
            try await check()
            time.advance(by: .milliseconds(1))
            #expect(health.stalledLoops() == [])
        }
        time.advance(by: .seconds(3_600))
        #expect(health.stalledLoops() == [])
    }
}
