import Apps
import CommandKit
import Glibc
import JSONKit
import PushModel
import ServiceKit
import TestSupport
import Testing

@testable import Carillon

@Suite struct AppsCommandsTests {
    private let terminal = RecordedTerminal()
    private let home = TemporaryDirectory("apps")
    private let folder: AppsFolder

    init() throws {
        folder = try AppsFolder(in: home)
    }

    private func run(_ words: String...) async -> Int32 {
        await run(words, variables: ["CARILLON_APPS": folder.path])
    }

    private func run(_ words: [String], variables: [String: String]) async -> Int32 {
        await CommandTree.carillon.run(words, in: CommandContext(terminal: terminal, variables: variables))
    }

    @Test func addPrintsTheKeyOnceAndHowToUseIt() async throws {
        #expect(await run("apps", "add", "news") == 0)
        let key = try #require(terminal.printed.first { $0.hasPrefix("  ck_") }).dropFirst(2)
        #expect(terminal.printed.first == "wrote \(folder.file("news.json"))")
        #expect(terminal.printed.contains("API key (publish, register, read), shown only once:"))
        let line = try #require(terminal.printed.first { $0.contains("curl -i http://127.0.0.1:8080/subscribers") })
        #expect(line.contains("-H 'Authorization: Bearer \(key)'"))
        #expect(await run("apps", "list") == 0)
        #expect(await run("apps", "check") == 0)
        #expect(terminal.printed.filter { $0.contains(key) }.count == 2)
        #expect(terminal.complaints == [])
    }

    /// Neither the key nor its hash is in the JSON.
    @Test func theListAsJSONContainsNoSecret() async throws {
        #expect(await run("apps", "add", "news") == 0)
        let key = try #require(terminal.printed.first { $0.hasPrefix("  ck_") }).dropFirst(2)
        #expect(await run("apps", "list", "--json") == 0)
        let line = try #require(terminal.printed.last)
        let app = try JSON(line)
        #expect(app["app"]?.text == "news")
        let shown = try #require(app["keys"]?.elements?.first)
        #expect(key.contains(try #require(shown["id"]?.text)))
        #expect(shown["scopes"]?.elements?.compactMap(\.text) == ["publish", "register", "read"])
        #expect(shown["valid"] == .bool(true))
        #expect(
            shown.object?.members.map(\.name) == [
                "id", "scopes", "public", "origins", "created", "expires", "valid",
            ])
        #expect(!line.contains(String(key)))
    }

    /// Goal: `carillon up` finds an app that was added to its data folder.
    @Test func theDataFolderOfUpIsAPlaceForApps() async throws {
        let data = home.file("data")
        func run(_ words: String...) async -> Int32 { await self.run(words, variables: [:]) }
        #expect(await run("apps", "check", "--data", data) == 64)
        #expect(terminal.complaints.last?.contains("not exist; carillon up --data \(data) creates it") == true)
        #expect(await run("apps", "add", "news", "--data", data) == 0)
        #expect(terminal.printed.first == "wrote \(data)/apps/news.json")
        let configuration = try #require(DataFolder(existing: data)).appsConfiguration
        #expect(AppSurvey(configuration).apps.map(\.id.text) == ["news"])
        #expect(await run("apps", "check", "--data", data) == 0)
        #expect(await run("apps", "rotate", "news", "--data", data) == 0)
        #expect(await run("apps", "list", "--data", data) == 0)
        #expect(terminal.printed.contains { $0.hasPrefix("news ") })
        #expect(await self.run("apps", "list") == 0)
        #expect(terminal.printed.last == "no apps in \(folder.path)")
    }

    /// Goal: a command does not choose silently between two folders of apps.
    @Test func aVariableBesideTheDataFolderIsAnError() async throws {
        let data = try DataFolder(making: home.file("data"))
        for name in ["CARILLON_APPS", "CARILLON_PEPPER_FILE"] {
            let code = await run(["apps", "add", "news", "--data", data.path], variables: [name: folder.path])
            #expect(code == 64)
            #expect(
                terminal.complaints.last?.contains(
                    "--data and the variable \(name) may name different pipelines; unset \(name) or omit --data")
                    == true)
        }
        #expect(AppSurvey(data.appsConfiguration).apps.isEmpty)
        #expect(terminal.printed == [])
    }

    @Test func aPublicKeyIsAddedAndListed() async {
        #expect(await run("apps", "add", "news") == 0)
        #expect(await run("apps", "key", "news", "--public", "--origin", "https://www.example.com") == 0)
        #expect(terminal.printed.contains("API key (register, public for https://www.example.com), shown only once:"))
        #expect(await run("apps", "key", "news", "--scope", "read") == 0)
        #expect(terminal.printed.contains("API key (read), shown only once:"))
        #expect(await run("apps", "list") == 0)
        #expect(terminal.printed.contains { $0.contains("register, public for https://www.example.com") })
        #expect(await run("apps", "check") == 0)
        #expect(await run("apps", "rotate", "news") == 0)
        #expect(terminal.printed.contains("New key (register, public for https://www.example.com), shown only once:"))
    }

    /// Goal: the public key of the app is the one of its file, which other users cannot read. Method: openssl reads it.
    @Test func addMakesAKeyForBrowsers() async throws {
        #expect(await run("apps", "add", "news") == 0)
        let file = home.file("secrets/webpush/news.pem")
        #expect(terminal.printed.contains("wrote \(file)"))
        let printed = try #require(terminal.printed.first { $0.hasPrefix("  B") }).dropFirst(2)
        try await OpenSSLCommand.run(["ec", "-in", file, "-pubout", "-outform", "DER", "-out", home.file("der")])
        let der = try #require(SmallFile.read(home.file("der"), bytesMaximum: 1_024))
        #expect(Base64URL.encode(Array(der.suffix(65))) == String(printed))
        #expect(TestFile.mode(file) == 0o600)
        #expect(terminal.printed.contains("Push services reach you at mailto:postmaster@news.invalid"))
        #expect(terminal.printed.last == "  carillon apps web-push news --contact mailto:push@example.com")
        #expect(await run("apps", "check") == 0)
        #expect(await run("apps", "list") == 0)
        #expect(terminal.printed.last?.hasSuffix(" webpush") == true)
    }

    /// A contact is changed; the key, to which every subscription is bound, is not.
    @Test func anAppGetsOneKeyForBrowsers() async throws {
        #expect(await run("apps", "add", "news", "--no-web-push") == 0)
        #expect(TestFile.mode(home.file("secrets")) == nil)
        #expect(await run("apps", "list") == 0)
        #expect(terminal.printed.last?.contains("webpush") == false)
        let contact = "mailto:push@example.com"
        #expect(await run("apps", "web-push", "news", "--contact", contact) == 0)
        #expect(terminal.printed.last == "Push services reach you at \(contact)")
        let first = terminal.printed.filter { $0.hasPrefix("  B") }
        #expect(await run("apps", "web-push", "news") == 0)
        #expect(await run("apps", "web-push", "news", "--contact", "https://example.com/contact") == 0)
        #expect(terminal.printed.last == "Push services reach you at https://example.com/contact")
        #expect(terminal.printed.contains("uses \(home.file("secrets/webpush/news.pem"))"))
        #expect(Set(terminal.printed.filter { $0.hasPrefix("  B") }) == Set(first) && first.count == 1)
        #expect(await run("apps", "check") == 0)
        #expect(await run("apps", "web-push", "nwes") == 1)
        #expect(terminal.complaints.last?.hasSuffix("nwes.json; did you mean news?") == true)
    }

    /// Goal: the key of the API, which is shown only once, is not lost with a failure of what follows.
    @Test func aFailureBehindTheKeyLeavesItShown() async {
        home.write("secrets", content: "no folder")
        #expect(await run("apps", "add", "news") == 1)
        #expect(terminal.printed.contains { $0.hasPrefix("  ck_") })
        #expect(terminal.complaints.last?.contains("secrets/webpush") == true, "\(terminal.complaints)")
    }

    @Test func aKeyThatMayNotRegisterIsNotShownRegistering() async {
        #expect(await run("apps", "add", "news", "--scope", "read") == 0)
        #expect(!terminal.printed.contains { $0.contains("curl") })
    }

    @Test(arguments: [
        (["apps", "add"], "expected one app name\nSee carillon apps add --help"),
        (["apps", "add", "a", "b"], "expected one app name\nSee carillon apps add --help"),
        (["apps", "add", "news", "--scope", "publsh"], "unknown scope publsh; did you mean publish?"),
        (["apps", "add", "news", "--allow", "10.0.0.1/8"], "--allow 10.0.0.1/8: expected the first address"),
        (["apps", "add", "News"], "\"News\" is not a valid app name; it must be 1 to 64 of a-z"),
        (["apps", "rotate", "news", "--keep", "soon"], "--keep soon: expected a duration from 0s to 365d"),
        (["apps", "key"], "expected one app name"),
        (["apps", "web-push"], "expected one app name"),
        (["apps", "web-push", "news", "--contact", "a@b"], "--contact a@b: expected a mailto: address"),
        (["apps", "add", "news", "--contact", "mailto:a b@c"], "--contact mailto:a b@c: expected a mailto: address"),
        (
            ["apps", "add", "news", "--no-web-push", "--contact", "mailto:a@b"],
            "--contact belongs to Web Push; remove --no-web-push"
        ),
        (["apps", "key", "news", "--origin", "https://a"], "--origin requires --public"),
        (["apps", "key", "news", "--public", "--origin", "a"], "--origin a: expected an origin such as https://www"),
        (["apps", "key", "news", "--public", "--scope", "read"], "a public key has only the scope register"),
        (["apps", "list", "news"], "apps list takes no argument \"news\""),
    ])
    func wrongWordsAreNamed(_ words: [String], sentence: String) async {
        let code = await CommandTree.carillon.run(words, in: CommandContext(terminal: terminal, variables: [:]))
        #expect(code == 64)
        #expect(terminal.complaints.first?.contains(sentence) == true, "\(terminal.complaints)")
    }

    @Test func listShowsWhatEachAppHas() async {
        #expect(await run("apps", "list") == 0)
        #expect(terminal.printed == ["no apps in \(folder.path)"])
        #expect(await run("apps", "add", "shop", "--scope", "register", "--allow", "10.0.0.0/8") == 0)
        folder.write(
            "news.json",
            content: #"""
                {"identifiers":{"appmetrica":[7,8]},"providers":{"huawei":{"client_id":"1","client_secret_file":"s"}},
                "credentials":[{"id":"old1","hash":"hmac-sha256:\#(String(repeating: "0", count: 64))","scopes":["read"],
                "created":"2025-01-01T00:00:00Z","expires":"2025-02-01T00:00:00Z"}]}
                """#)
        folder.write("broken.json", content: "{")
        #expect(await run("apps", "list") == 0)
        let table = terminal.printed.drop { !$0.hasPrefix("APP") }.map { line in
            line.split(separator: " ").joined(separator: " ")
        }
        #expect(table.first == "APP KEY SCOPES EXPIRES IDENTIFIERS PROVIDERS")
        #expect(table.dropFirst().first == "news old1 read expired appmetrica 7 huawei")
        #expect(table.contains("appmetrica 8"))
        #expect(table.contains("from 10.0.0.0/8 register"))
        #expect(table.contains { $0.hasPrefix("shop ") && $0.hasSuffix(" register never webpush") })
        #expect(!table.contains { $0.contains("hmac") })
        #expect(
            terminal.complaints == ["warning: invalid app files are not listed; run carillon apps check for details"])
    }

    @Test func rotatePrintsAFreshKeyForEachSetOfScopes() async {
        #expect(await run("apps", "add", "news", "--scope", "read") == 0)
        #expect(await run("apps", "rotate", "news", "--keep", "12h") == 0)
        #expect(terminal.printed.contains("changed \(folder.file("news.json"))"))
        #expect(terminal.printed.contains("New key (read), shown only once:"))
        #expect(terminal.printed.last == "The old key will expire in 12h at the latest")
        #expect(await run("apps", "rotate", "news", "--keep", "0s") == 0)
        #expect(terminal.printed.last == "The 2 old keys are no longer valid")
        #expect(await run("apps", "rotate", "nwes") == 1)
        #expect(terminal.complaints.last?.hasSuffix("nwes.json; did you mean news?") == true)
    }

    @Test func checkFailsForWhateverNeedsMending() async {
        #expect(await run("apps", "add", "news") == 0)
        folder.write("shop.json", content: #"{"providers":{"fcm":{"service_account_file":"fcm.json"}}}"#)
        #expect(await run("apps", "check") == 1)
        #expect(terminal.printed.last?.hasPrefix("warning: shop.json: providers.fcm.service_account_file: ") == true)
        folder.write("shop.json", content: #"{"provider":{}}"#)
        #expect(await run("apps", "check") == 1)
        #expect(terminal.printed.last == "error: shop.json: provider: unknown field; did you mean providers?")
        #expect(terminal.complaints.last == "1 app usable in \(folder.path); fix the problems above")
        folder.write("shop.json", content: "{}")
        #expect(await run("apps", "check") == 0)
        #expect(terminal.printed.last == "2 apps in \(folder.path), no problems found")
    }

    @Test func checkShowsWhatEnforcesEachLimit() async throws {
        folder.write(
            "news.json",
            content: #"""
                {"limits":{"devices":1000,"requests_per_second":5,"pushes_per_device":{"count":5,"per":"24h"}},
                "quiet_hours":{"start":"22:00","end":"07:05","time_zone":"Europe/Helsinki"},
                "defaults":{"language":"fr"}}
                """#)
        folder.write("shop.json", content: "{}")
        #expect(await run("apps", "check") == 0)
        let printed = terminal.printed.flatMap { $0.split(separator: "\n") }.map { line in
            line.split(separator: " ").joined(separator: " ")
        }
        #expect(
            printed == [
                "APP FIELD VALUE ENFORCED BY",
                "news limits.devices 1000 ingest-api, for all its processes together",
                "news limits.requests_per_second 5 ingest-api, in each process for each private key, or for "
                    + "each address otherwise",
                "news limits.pushes_per_device 5 per 1d apns-sender, android-sender and web-sender, for all their "
                    + "processes together",
                "news quiet_hours 22:00 to 07:05, Europe/Helsinki targeting-resolver and scheduler, for each device in "
                    + "its time zone",
                "news defaults.language fr renderer, for devices without a language",
                "2 apps in \(folder.path), no problems found",
            ])
        #expect(await run("apps", "check", "--json") == 0)
        let document = try JSON(Array(try #require(terminal.printed.last).utf8))
        #expect(document["apps"]?.elements?.map { $0["app"]?.text } == ["news", "shop"])
        let rules = try #require(document["apps"]?.elements?.first?["rules"]?.elements)
        #expect(rules.count == 5)
        #expect(rules.first?["enforced_by"]?.text == "ingest-api, for all its processes together")
        #expect(document["problems"]?.elements == [])
        folder.write("shop.json", content: "{")
        #expect(await run("apps", "check", "--json") == 1)
        #expect(terminal.printed.last?.contains(#"{"severity":"error","file":"shop.json""#) == true)
    }

    /// The command as an operator runs it.
    @Test func theProcessWritesRefusesAndChecks() async throws {
        func carillon(_ words: String...) async throws -> (ChildProcess.Ending?, [String]) {
            let process = try ChildProcess(
                builtExecutable("carillon"), arguments: words, environment: ["CARILLON_APPS": folder.path])
            await process.line { _ in false }
            return (await process.end(), process.lines)
        }
        let added = try await carillon("apps", "add", "news", "--allow", "127.0.0.0/8")
        #expect(added.0 == .exited(0))
        let again = try await carillon("apps", "add", "news")
        #expect(again.0 == .exited(1))
        #expect(again.1 == ["carillon: \(folder.file("news.json")) already exists and was not changed"])
        let checked = try await carillon("apps", "check")
        #expect(checked.0 == .exited(0))
        folder.write("news.json", content: "{")
        let broken = try await carillon("apps", "check")
        #expect(broken.0 == .exited(1))
        #expect(broken.1.contains { $0.hasPrefix("error: news.json: line 1, column 2: ") })
    }
}

/// A folder of apps with room for secrets beside it.
private struct AppsFolder {
    let path: String
    private let home: TemporaryDirectory

    init(in home: TemporaryDirectory) throws {
        self.home = home
        path = home.file("apps")
        try #require(mkdir(path, 0o700) == 0)
    }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    func write(_ name: String, content: String) {
        home.write("apps/\(name)", content: content)
    }
}

private enum TestFile {
    /// Nil if there is no file.
    static func mode(_ path: String) -> mode_t? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o777 : nil
    }
}
