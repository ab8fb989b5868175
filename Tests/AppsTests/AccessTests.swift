import PushModel
import ServiceKit
import Testing

@testable import Apps

@Suite struct AccessTests {
    private let now = Timestamp(milliseconds: 1_767_225_600_000)
    private let pepper: Pepper

    init() throws {
        pepper = try #require(Pepper(fileContent: Pepper.randomFileContent()))
    }

    private func credential(_ key: APIKey, scopes: Set<Scope>, expires: Timestamp? = nil) -> Credential {
        Credential(
            id: key.id, hash: pepper.hash(of: key), rights: KeyRights(scopes: scopes), created: now, expires: expires)
    }

    private func app(_ name: String, change: (inout PushApp) throws -> Void = { _ in }) throws -> PushApp {
        var app = PushApp(id: try AppID(name))
        try change(&app)
        return app
    }

    private func access(
        _ apps: [PushApp], key: String? = nil, from peer: String = "192.0.2.1", at time: Timestamp? = nil
    ) -> Access {
        AppSnapshot(apps, pepper: pepper).access(presented: key, peer: peer, now: time ?? now)
    }

    private func name(_ choice: Access.Choice) -> String? {
        guard case .app(let app) = choice else { return nil }
        return app.id.text
    }

    /// The key of an app's receipts comes from the pepper, so all processes with the same pepper have the same.
    @Test func anAppHasAKeyForReceiptsIfThereIsAPepper() throws {
        let apps = [try app("news"), try app("shop")]
        let keys = AppSnapshot(apps, pepper: pepper).apps.map(\.receiptKey)
        #expect(keys.count == 2 && keys[0] != nil && keys[0] != keys[1])
        #expect(AppSnapshot(apps, pepper: pepper).apps.map(\.receiptKey) == keys)
        let other = Pepper(fileContent: Pepper.randomFileContent())
        #expect(AppSnapshot(apps, pepper: other).apps[0].receiptKey != keys[0])
        #expect(AppSnapshot(apps, pepper: nil).apps.allSatisfy { $0.receiptKey == nil })
    }

    @Test func aKeyGrantsItsAppAndItsScopes() throws {
        let key = APIKey.random()
        let apps = [try app("news") { $0.credentials = [credential(key, scopes: [.publish])] }, try app("shop")]
        let access = access(apps, key: key.reveal())
        #expect(access.caller == .key(key.id))
        #expect(name(access.choose(nil, scope: .publish)) == "news")
        #expect(name(access.choose("news", scope: .publish)) == "news")
        #expect(access.choose("news", scope: .register) == .forbidden)
        #expect(access.choose(nil, scope: .register) == .forbidden)
        #expect(access.choose("shop", scope: .publish) == .unknownApp)
        #expect(access.choose("none", scope: .publish) == .unknownApp)
    }

    @Test func oneKeyMayBeGrantedSeveralApps() throws {
        let key = APIKey.random()
        let apps = [
            try app("shop") { $0.credentials = [credential(key, scopes: [.publish, .read])] },
            try app("news") { $0.credentials = [credential(key, scopes: [.publish])] },
        ]
        let access = access(apps, key: key.reveal())
        #expect(access.choose(nil, scope: .publish) == .ambiguous([try AppID("news"), try AppID("shop")]))
        #expect(name(access.choose(nil, scope: .read)) == "shop")
        #expect(access.choose("news", scope: .read) == .forbidden)
        #expect(access.apps(with: .publish).map(\.id.text) == ["news", "shop"])
    }

    @Test func aWrongKeyGrantsNothingEvenFromAnAllowedAddress() throws {
        let key = APIKey.random()
        let apps = [
            try app("news") { news in
                news.credentials = [credential(key, scopes: [.publish])]
                news.allowed = [AllowedRange(range: try AddressRange("10.0.0.0/8"), scopes: [.publish])]
            }
        ]
        let sameID = try #require(APIKey("ck_\(key.id)_\(String(repeating: "A", count: 43))"))
        for wrong in [APIKey.random().reveal(), sameID.reveal(), "ck_1", "", String(key.reveal().dropLast())] {
            let access = access(apps, key: wrong, from: "10.0.0.1")
            #expect(access.caller == .wrongKey, "\(wrong.count)")
            #expect(access.choose("news", scope: .publish) == .unauthenticated)
            #expect(access.apps(with: .publish).isEmpty)
        }
    }

    @Test func anExpiredKeyIsAWrongKey() throws {
        let key = APIKey.random()
        let expiry = now + .seconds(60)
        let apps = [try app("news") { $0.credentials = [credential(key, scopes: [.read], expires: expiry)] }]
        #expect(access(apps, key: key.reveal(), at: now + .seconds(59)).caller == .key(key.id))
        #expect(access(apps, key: key.reveal(), at: expiry).caller == .wrongKey)
    }

    @Test func severalKeysWorkAtOnce() throws {
        let keys = [APIKey.random(), APIKey.random()]
        let apps = [try app("news") { $0.credentials = keys.map { credential($0, scopes: [.read]) } }]
        for key in keys { #expect(access(apps, key: key.reveal()).caller == .key(key.id)) }
    }

    @Test func withoutAKeyTheAddressDecides() throws {
        let apps = [
            try app("news") { news in
                news.allowed = [
                    AllowedRange(range: try AddressRange("10.0.0.0/8"), scopes: [.register]),
                    AllowedRange(range: try AddressRange("10.1.0.0/16"), scopes: [.publish]),
                ]
            },
            try app("shop") { $0.allowed = [AllowedRange(range: try AddressRange("::1"), scopes: [.read])] },
        ]
        let inside = access(apps, from: "10.1.0.1")
        #expect(inside.caller == .address)
        #expect(inside.grants.map(\.scopes) == [[.register, .publish]])
        #expect(access(apps, from: "10.2.0.1").choose("news", scope: .publish) == .forbidden)
        #expect(access(apps, from: "10.2.0.1").choose("shop", scope: .read) == .unknownApp)
        for peer in ["11.0.0.1", "", "nonsense"] {
            #expect(access(apps, from: peer).caller == .anonymous)
            #expect(access(apps, from: peer).choose("news", scope: .register) == .unauthenticated)
        }
    }

    @Test func nothingIsOpenWhereNothingIsSaid() throws {
        #expect(access([try app("news")]).choose("news", scope: .read) == .unauthenticated)
        #expect(access([]).choose(nil, scope: .read) == .unauthenticated)
    }

    @Test func withoutAPepperNoKeyIsRecognised() throws {
        let key = APIKey.random()
        let apps = [try app("news") { $0.credentials = [credential(key, scopes: [.read])] }]
        let other = try #require(Pepper(fileContent: Pepper.randomFileContent()))
        for pepper in [nil, other] {
            let access = AppSnapshot(apps, pepper: pepper).access(presented: key.reveal(), peer: "", now: now)
            #expect(access.caller == .wrongKey)
        }
    }

    @Test func aDialectsFieldChoosesAmongWhatIsGranted() throws {
        let key = APIKey.random()
        let apps = [
            try app("news") { news in
                news.credentials = [credential(key, scopes: [.publish])]
                news.identifiers = [.appmetrica: ["7", "8"], .richie: ["news-app"]]
            },
            try app("shop") { shop in
                shop.credentials = [credential(key, scopes: [.publish])]
                shop.identifiers = [.appmetrica: ["9"]]
            },
            try app("other") { $0.identifiers = [.appmetrica: ["10"]] },
        ]
        let access = access(apps, key: key.reveal())
        #expect(name(access.choose(.appmetrica, identifier: "8", scope: .publish)) == "news")
        #expect(name(access.choose(.appmetrica, identifier: "9", scope: .publish)) == "shop")
        #expect(access.choose(.appmetrica, identifier: "10", scope: .publish) == .unknownApp)
        #expect(access.choose(.richie, identifier: "8", scope: .publish) == .unknownApp)
        #expect(access.choose(.richie, identifier: "news-app", scope: .read) == .forbidden)
        #expect(
            access.choose(.richie, identifier: nil, scope: .publish)
                == .ambiguous([try AppID("news"), try AppID("shop")]))
    }
}
