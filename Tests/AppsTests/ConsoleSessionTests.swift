import PushModel
import ServiceKit
import Testing

@testable import Apps

@Suite struct ConsoleSessionTests {
    private let now = Timestamp(milliseconds: 1_767_225_600_000)
    private let pepper: Pepper
    private let key = APIKey.random()

    init() throws {
        pepper = try #require(Pepper(fileContent: Pepper.randomFileContent()))
    }

    private func snapshot(
        _ key: APIKey? = nil, rights: KeyRights? = KeyRights(scopes: [.read]), expires: Timestamp? = nil,
        pepper: Pepper? = nil
    ) throws -> AppSnapshot {
        let key = key ?? self.key
        let apps = try ["news", "shop"].map { name in
            var app = PushApp(id: try AppID(name))
            if let rights {
                app.credentials = [
                    Credential(
                        id: key.id, hash: self.pepper.hash(of: key), rights: rights, created: now, expires: expires)
                ]
            }
            return app
        }
        return AppSnapshot(apps, pepper: pepper ?? self.pepper)
    }

    private func text(expires: Timestamp? = nil) throws -> String {
        try #require(try snapshot(expires: expires).signIn(key.reveal(), now: now)).text
    }

    @Test func aSessionHasTheRightsOfItsKey() throws {
        let snapshot = try snapshot()
        let signedIn = try #require(snapshot.signedIn(try text(), now: now))
        let access = snapshot.access(presented: key.reveal(), peer: "", now: now)
        #expect(signedIn.access.grants == access.grants && signedIn.access.caller == access.caller)
        let text = try text()
        #expect(signedIn.isToken(signedIn.token) && !signedIn.isToken("") && !signedIn.isToken(text))
    }

    /// Goal: a wrong, expired or public key does not sign in.
    @Test func onlyValidPrivateKeysSignIn() throws {
        #expect(try snapshot().signIn(APIKey.random().reveal(), now: now) == nil)
        #expect(try snapshot().signIn("", now: now) == nil)
        #expect(try snapshot(expires: now).signIn(key.reveal(), now: now) == nil)
        let open = try snapshot(rights: KeyRights(scopes: [.register], isPublic: true))
        #expect(open.signIn(key.reveal(), now: now) == nil)
    }

    /// Goal: a session ends with its time, its key, the key's hash and the pepper.
    @Test func aSessionEndsWithItsKey() throws {
        let text = try text()
        let end = now + ConsoleSession.life
        #expect(try snapshot().signedIn(text, now: end + .milliseconds(-1)) != nil)
        #expect(try snapshot().signedIn(text, now: end) == nil)
        let other = try #require(Pepper(fileContent: Pepper.randomFileContent()))
        let sameID = try #require(APIKey("ck_\(key.id)_\(APIKey.random().reveal().suffix(43))"))
        for snapshot in [
            try snapshot(rights: nil), try snapshot(rights: KeyRights(scopes: [.read], isPublic: true)),
            try snapshot(expires: now), try snapshot(sameID), try snapshot(pepper: other),
        ] {
            #expect(snapshot.signedIn(text, now: now) == nil)
        }
    }

    @Test func aSessionIsNotLongerThanItsKey() throws {
        let end = now + .seconds(60)
        let signedIn = try #require(try snapshot(expires: end).signIn(key.reveal(), now: now))
        #expect(signedIn.access.session.ends == end)
    }

    /// Goal: nothing but what was signed is a session. Method: every bit of a session changed, and other texts.
    @Test func changedSessionsAreRefused() throws {
        let text = try text()
        let bytes = try #require(Base64URL.decode(text))
        let snapshot = try snapshot()
        for position in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[position] ^= 1 << bit
                #expect(snapshot.signedIn(Base64URL.encode(changed), now: now) == nil)
            }
        }
        for other in ["", "a", String(text.dropLast()), text + "A", String(repeating: "A", count: 1_000_000)] {
            #expect(snapshot.signedIn(other, now: now) == nil)
        }
    }

    /// Goal: a session cannot be chosen for another person: each sign-in makes a new one.
    @Test func everySessionIsNew() throws {
        let texts = Set(try (0..<10).map { _ in try text() })
        #expect(texts.count == 10)
    }
}
