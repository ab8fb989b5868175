import JSONKit
import PushModel
import ServiceKit
import TestSupport
import Testing

@testable import Apps

/// Keys that ship inside apps and pages, as app files describe them.
@Suite struct PublicKeyTests {
    private let folder = TemporaryDirectory("apps")
    private let now = Timestamp(milliseconds: 1_767_225_600_000)
    private let news: AppID

    init() throws {
        news = try AppID("news")
    }

    private var configuration: AppsConfiguration { AppsConfiguration(folder: folder.path) }
    private var editor: AppEditor { AppEditor(configuration, now: now) }

    private func snapshot() -> AppSnapshot {
        var inventory = AppInventory(configuration)
        _ = inventory.read()
        return AppSnapshot(inventory.apps, pepper: inventory.pepper, userTokenKeys: inventory.userTokenKeys)
    }

    private func problems(_ members: String) -> [String] {
        let text = """
            {"credentials":[{"id":"k1","hash":"hmac-sha256:\(String(repeating: "0f", count: 32))",
            "created":"2026-01-01T00:00:00Z",\(members)}]}
            """
        return AppReader.read(Array(text.utf8), id: news, folder: "/etc/apps").problems.map(\.description)
    }

    @Test(arguments: [
        (#""scopes":["register"],"public":true"#, nil),
        (#""scopes":["register"],"public":true,"origins":["https://a.example:8443","http://localhost:3000"]"#, nil),
        (#""scopes":["publish"],"public":false"#, nil),
        (#""scopes":["register","read"],"public":true"#, "credentials[0].scopes: expected only register"),
        (#""scopes":["publish"],"public":true"#, "credentials[0].scopes: expected only register"),
        (#""scopes":["register"],"public":1"#, "credentials[0].public: expected true or false"),
        (#""scopes":["register"],"public":true,"origins":["*"]"#, "credentials[0].origins[0]: expected an origin"),
        (#""scopes":["register"],"public":true,"origins":"https://a""#, "credentials[0].origins: expected an array"),
    ])
    func aPublicKeyOnlyRegisters(_ members: String, problem: String?) {
        let found = problems(members)
        if let problem {
            #expect(found.count == 1 && found.first?.contains(problem) == true, "\(found)")
        } else {
            #expect(found == [])
        }
    }

    @Test(arguments: [
        ("https://www.example.com", "https://www.example.com"),
        ("HTTPS://WWW.Example.com:443", "https://www.example.com"),
        ("https://a:8443", "https://a:8443"), ("http://localhost", "http://localhost"),
        ("http://localhost:80", "http://localhost"), ("http://127.0.0.1:5173", "http://127.0.0.1:5173"),
        ("https://[2001:db8::1]:1", "https://[2001:db8::1]:1"),
        ("http://example.com", nil), ("https://a/", nil), ("https://a/b", nil), ("https://a?b", nil), ("null", nil),
        ("", nil), ("https://", nil), ("https://u@a", nil), ("https://*.example.com", nil), ("ftp://a", nil),
        ("https://é.example", nil), ("http://localhost.example.com", nil),
        ("https://" + String(repeating: "a", count: 248), nil),
    ])
    func anOriginIsSchemeHostAndPort(_ text: String, origin: String?) {
        #expect(WebOrigin(text)?.description == origin)
    }

    @Test func aBoundKeyAdmitsItsPagesAndOtherPrograms() throws {
        let bound = PublicKeyTerms(origins: [try #require(WebOrigin("https://a.example"))])
        for origin in ["https://a.example", "https://A.example:443"] { #expect(bound.admits(origin: origin)) }
        #expect(bound.admits(origin: nil))
        for origin in ["https://b.example", "http://a.example", "null", "https://a.example.b"] {
            #expect(!bound.admits(origin: origin), "\(origin)")
        }
        #expect(PublicKeyTerms().admits(origin: "https://b.example"))
        #expect(!PublicKeyTerms().isFor(origin: "https://b.example"))
    }

    @Test func anAddedKeyIsKeptByRotation() throws {
        _ = try editor.add(news)
        let origin = try #require(WebOrigin("https://a.example"))
        let rights = KeyRights(scopes: [.register], isPublic: true, origins: [origin])
        let key = try editor.addKey(to: news, rights: rights)
        let rotations = try editor.rotate(news, keeping: .zero)
        #expect(rotations.map(\.rights) == [KeyRights(scopes: AppEditor.usualScopes), rights])
        #expect(AppSurvey(configuration).apps.first?.credentials.map(\.rights) == rotations.map(\.rights))
        #expect(snapshot().access(presented: key.reveal(), peer: "", now: now).caller == .wrongKey)
        let grants = snapshot().access(presented: rotations[1].key.reveal(), peer: "", now: now).grants
        #expect(grants.map(\.publicKey) == [PublicKeyTerms(origins: [origin])])
        let ordinary = snapshot().access(presented: rotations[0].key.reveal(), peer: "", now: now)
        #expect(ordinary.grants.map(\.publicKey) == [nil] && ordinary.ofPrivateKeys.grants == ordinary.grants)
        #expect(snapshot().isKnown(origin: "https://a.example") && !snapshot().isKnown(origin: "https://b.example"))
    }

    @Test func aFileThatWouldBeInvalidIsNotWritten() throws {
        _ = try editor.add(news)
        let before = SmallFile.read(folder.file("news.json"), bytesMaximum: 4_096)
        #expect(throws: AppsError.self) {
            _ = try editor.addKey(to: news, rights: KeyRights(scopes: [.publish], isPublic: true))
        }
        #expect(SmallFile.read(folder.file("news.json"), bytesMaximum: 4_096) == before)
    }

    @Test func originsOfAPrivateKeyAreWarnedOf() throws {
        let origin = try #require(WebOrigin("https://a.example"))
        _ = try editor.add(news)
        _ = try editor.addKey(to: news, rights: KeyRights(scopes: [.read], origins: [origin]))
        let problems = AppSurvey(configuration).problems
        #expect(problems.map(\.severity) == [.warning])
        #expect(problems.first?.field == "credentials[1].origins")
        #expect(!snapshot().isKnown(origin: "https://a.example"))
    }

    /// A secret that is too short is reported and not used; a replaced one takes effect at the next reading.
    @Test func theSecretOfUserTokensIsReadAgain() throws {
        let key = try editor.add(news)
        try editor.replace("user_tokens", of: news, with: try JSON(#"{"key_file":"users"}"#))
        func terms() -> UserTokenKey? {
            var inventory = AppInventory(configuration)
            _ = inventory.read()
            return inventory.userTokenKeys[news]
        }
        folder.write("users", content: String(repeating: "k", count: 31) + "\n")
        #expect(terms() == nil)
        #expect(AppSurvey(configuration).problems.first?.message.contains("fewer than 32 bytes") == true)
        folder.write("users", content: String(repeating: "k", count: 32) + "\n")
        #expect(terms() == UserTokenKey(fileContent: Array(repeating: UInt8(ascii: "k"), count: 32)))
        #expect(AppSurvey(configuration).problems == [])
        folder.write("users", content: String(repeating: "l", count: 32))
        #expect(terms() == UserTokenKey(fileContent: Array(repeating: UInt8(ascii: "l"), count: 32)))
        let secret = try #require(terms())
        #expect("\(secret)" == "[secret]")
        #expect(snapshot().access(presented: key.reveal(), peer: "", now: now).grants.map(\.publicKey) == [nil])
    }
}
