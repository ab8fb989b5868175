import PushModel
import ServiceKit
import Testing

@testable import Apps

@Suite struct StreamTicketTests {
    private let now = Timestamp(milliseconds: 1_767_225_600_000)
    private let pepper: Pepper
    private let key = APIKey.random()

    init() throws {
        pepper = try #require(Pepper(fileContent: Pepper.randomFileContent()))
    }

    private func snapshot(
        rights: KeyRights? = KeyRights(scopes: [.listen]), expires: Timestamp? = nil, pepper: Pepper? = nil,
        app: String = "news"
    ) throws -> AppSnapshot {
        let apps = try [app, "shop"].map { name in
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

    private func ticket(_ topics: [String] = ["sports", "a b"], expires: Timestamp? = nil) throws -> StreamTicket {
        StreamTicket(
            app: try AppID("news"), keyID: key.id, topics: try topics.map { try TopicName($0) },
            expires: expires ?? now + .seconds(60))
    }

    private func text(_ ticket: StreamTicket) throws -> String {
        ticket.text(signedBy: try #require(try snapshot().app(ticket.app)?.streamTicketKey))
    }

    @Test func aTicketIsForWhatItWasMade() throws {
        let ticket = try ticket()
        let found = try #require(try snapshot().ticket(try text(ticket), now: now))
        #expect(found.ticket == ticket && found.key.id == key.id)
        #expect(try snapshot().ticket(try text(ticket), now: ticket.expires) == nil)
    }

    /// Goal: a ticket ends with its key, the key's scope and life, its app, and the pepper.
    @Test func aTicketEndsWithItsKey() throws {
        let text = try text(try ticket())
        let other = try #require(Pepper(fileContent: Pepper.randomFileContent()))
        for snapshot in [
            try snapshot(rights: nil), try snapshot(rights: KeyRights(scopes: [.read])),
            try snapshot(rights: KeyRights(scopes: [.listen], isPublic: true)), try snapshot(expires: now),
            try snapshot(pepper: other), try snapshot(app: "blog"),
        ] {
            #expect(snapshot.ticket(text, now: now) == nil)
        }
    }

    /// Goal: no other text is a ticket. Method: each byte is changed.
    @Test func aChangedTicketIsNone() throws {
        let text = try text(try ticket())
        let bytes = try #require(Base64URL.decode(text))
        for place in bytes.indices {
            var changed = bytes
            changed[place] ^= 1
            #expect(try snapshot().ticket(Base64URL.encode(changed), now: now) == nil, "byte \(place)")
        }
        for other in ["", "?", "AAAA", text + "AA", String(text.dropFirst(4)), String(repeating: "A", count: 5_000)] {
            #expect(try snapshot().ticket(other, now: now) == nil)
        }
    }

    @Test func aTicketOfAnotherAppIsNone() throws {
        let snapshot = try snapshot()
        let shop = try #require(snapshot.app(try AppID("shop"))?.streamTicketKey)
        #expect(snapshot.ticket(try ticket().text(signedBy: shop), now: now) == nil)
    }

    @Test func keysDoNotPrintThemselves() throws {
        let key = try #require(try snapshot().app(try AppID("news"))?.streamTicketKey)
        #expect("\(key)" == "[secret]" && String(reflecting: key) == "[secret]")
    }
}
