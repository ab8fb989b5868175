import PushModel
import Testing

@testable import Apps

/// Tests which version of a file takes effect, without a folder.
@Suite struct AppFileVersionsTests {
    private var versions = AppFileVersions(folder: "apps")

    private mutating func take(_ files: [String: String]) -> [AppFileVersions.Change] {
        versions.take(.files(files.mapValues { .bytes(Array($0.utf8)) }))
    }

    private func richie(_ texts: String...) -> String {
        #"{"identifiers":{"richie":["\#(texts.joined(separator: "\",\""))"]}}"#
    }

    private func credential(_ id: String, digit: String) -> String {
        let hash = String(repeating: digit, count: 64)
        return """
            {"credentials":[{"id":"\(id)","hash":"hmac-sha256:\(hash)","scopes":["read"],"created":"2026-01-01T00:00:00Z"}]}
            """
    }

    private var owners: [String: String] {
        var owners: [String: String] = [:]
        for app in versions.apps {
            for text in app.identifiers[.richie] ?? [] { owners[text] = app.id.text }
        }
        return owners
    }

    private var problems: [String] { versions.problems.map(\.description) }

    @Test mutating func tellsWhatChanged() throws {
        let (news, shop) = (try AppID("news"), try AppID("shop"))
        let first = take(["news.json": "{}", "shop.json": "{}"])
        #expect(first == [.added(news), .added(shop)])
        let same = take(["news.json": "{}", "shop.json": "{}"])
        #expect(same == [])
        let spaced = take(["news.json": "{ }", "shop.json": richie("a")])
        #expect(spaced == [.changed(shop)])
        let gone = take(["news.json": "{ }"])
        #expect(gone == [.removed(shop)])
    }

    @Test mutating func anAppWithoutAGoodVersionIsUnknown() {
        let changes = take(["news.json": "{", "UPPER.json": "{}"])
        #expect(changes == [])
        #expect(versions.apps.isEmpty)
        #expect(versions.brokenFiles == 2)
        #expect(problems.count == 2)
    }

    @Test mutating func aBrokenFileKeepsItsLastGoodVersionUntilItIsGone() throws {
        _ = take(["news.json": richie("a")])
        let broken = take(["news.json": "{"])
        #expect(broken == [])
        #expect(owners == ["a": "news"])
        let unreadable = versions.take(.files(["news.json": .unreadable("cannot be read: no rights")]))
        #expect(unreadable == [])
        #expect(owners == ["a": "news"])
        #expect(problems == ["news.json: cannot be read: no rights"])
        let gone = take([:])
        #expect(gone == [.removed(try AppID("news"))])
        #expect(problems == [])
    }

    @Test mutating func aFolderThatCannotBeReadTakesNoAppAway() {
        _ = take(["news.json": richie("a")])
        let changes = versions.take(.unreadable("the folder apps cannot be read: no such device"))
        #expect(changes == [])
        #expect(owners == ["a": "news"])
        #expect(problems == ["apps: the folder apps cannot be read: no such device"])
        _ = take(["news.json": richie("a")])
        #expect(problems == [])
    }

    @Test mutating func whoHasAnIdentifierKeepsIt() throws {
        _ = take(["shop.json": richie("a")])
        let changes = take(["shop.json": richie("a"), "news.json": richie("b", "a")])
        #expect(changes == [])
        #expect(owners == ["a": "shop"])
        #expect(
            problems == [
                "news.json: identifiers.richie: a is also claimed by shop.json; remove it from one file"
            ])
        // The other file releases the identifier: the rejected file takes effect without a change of its own.
        let freed = take(["shop.json": richie("c"), "news.json": richie("b", "a")])
        #expect(freed == [.added(try AppID("news")), .changed(try AppID("shop"))])
        #expect(owners == ["a": "news", "b": "news", "c": "shop"])
        #expect(problems == [])
    }

    @Test mutating func ofTwoNewcomersTheFirstByNameGetsIt() {
        _ = take(["shop.json": richie("a"), "news.json": richie("a")])
        #expect(owners == ["a": "news"])
        #expect(problems.count == 1)
    }

    @Test mutating func twoAppsMaySwap() {
        _ = take(["news.json": richie("a"), "shop.json": richie("b")])
        _ = take(["news.json": richie("b"), "shop.json": richie("a")])
        #expect(owners == ["b": "news", "a": "shop"])
        #expect(problems == [])
    }

    /// `news` wants the identifier of `shop`, but `shop` wants one that `zoo` keeps, so none of the three may change.
    @Test mutating func aRefusalThatGivesAnIdentifierBackRefusesWhoTookIt() {
        let before = ["news.json": richie("a"), "shop.json": richie("b"), "zoo.json": richie("c")]
        _ = take(before)
        _ = take(["news.json": richie("b"), "shop.json": richie("c"), "zoo.json": richie("c")])
        #expect(owners == ["a": "news", "b": "shop", "c": "zoo"])
        #expect(problems.count == 2)
        #expect(versions.brokenFiles == 2)
    }

    @Test mutating func oneKeyMayStandInSeveralFilesButNotTwoUnderOneID() {
        _ = take(["news.json": credential("k1", digit: "a"), "shop.json": credential("k1", digit: "a")])
        #expect(versions.apps.count == 2)
        #expect(problems == [])
        _ = take(["news.json": credential("k1", digit: "a"), "shop.json": credential("k1", digit: "b")])
        #expect(
            problems == [
                "shop.json: credentials: the id k1 is used by another key in news.json; remove it from one file"
            ])
        #expect(versions.apps.count == 2)
    }
}
