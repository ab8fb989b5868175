import HTTPServer
import JSONKit
import PushModel
import TestSupport
import Testing

@testable import Apps
@testable import IngestAPI

/// What a key that ships inside an app can do, and above all what it cannot.
@Suite struct PublicKeyRouteTests {
    private static let header = "Carillon-Device-Token"
    /// The routes that a public key may use.
    private static let open = [
        "PUT /v1/devices", "GET /v1/devices/:id", "DELETE /v1/devices/:id", "POST /v1/receipts",
        "POST /v1/moments",
        "GET /v1/web-push-key", "PUT /v1/devices/:id/activities/:activity",
        "DELETE /v1/devices/:id/activities/:activity",
    ]

    private func put(
        _ fields: String, as key: IngestFixture.Key, on fixture: IngestFixture, headers: [String: String] = [:]
    ) async -> RawClient.Response {
        let json = #"{"protocol":"apns","token":"\#(SampleTokens.apns)"\#(fields.isEmpty ? "" : ",")\#(fields)}"#
        return await fixture.json("PUT", "/v1/devices", json: json, as: key, headers: headers)
    }

    private func fields(_ response: RawClient.Response) -> [String?]? {
        response.json["errors"]?.elements?.map { $0["field"]?.text }
    }

    /// Goal: no route is open to public keys by mistake, also a new one. Method: every route, with a public key.
    @Test func everyOtherRouteIsClosed() async throws {
        try await IngestFixture.run { fixture in
            let id = try await fixture.subscriber("external_user_id=ada")
            let keyless = ["GET /carillon.js", "GET /carillon-worker.js", "GET /openapi.yaml", "GET /status"]
            for route in fixture.routeNames where !route.hasPrefix("OPTIONS ") && !keyless.contains(route) {
                let local = route.replacing("/apps/:app", with: "")
                guard !Self.open.contains(local) else { continue }
                let parts = route.split(separator: " ").map(String.init)
                let path = parts[1].replacing(":app", with: "news").replacing(":id", with: id)
                    .replacing(":user", with: "ada").replacing(":event", with: "a").replacing(":device", with: id)
                for key in [IngestFixture.Key.app, .page] {
                    let response = await fixture.json(
                        parts[0], path, as: key, headers: [Self.header: SampleTokens.apns])
                    #expect(response.status == 403, "\(route): \(response.text)")
                    let reason =
                        response.detail ?? response.json["message"]?.text ?? response.error
                        ?? response.json["status_message"]?.text
                    #expect(reason?.contains("public") == true, "\(route): \(response.text)")
                }
            }
            #expect(fixture.routeNames.filter { Self.open.contains($0) }.count == Self.open.count)
        }
    }

    @Test func aDeviceIsReachedWithItsToken() async throws {
        try await IngestFixture.run { fixture in
            let created = await put(#""language":"fi","topics":["news"]"#, as: .app, on: fixture)
            #expect(created.status == 201)
            let path = try #require(created.headers["location"])
            for token in [SampleTokens.apns, SampleTokens.apns.lowercased()] {
                let read = await fixture.json("GET", path, as: .app, headers: [Self.header: token])
                #expect(read.status == 200 && read.text == created.text)
            }
            #expect(await put(#""language":"sv""#, as: .app, on: fixture).status == 200)
            #expect(
                await fixture.json("DELETE", path, as: .app, headers: [Self.header: SampleTokens.apns]).status == 204)
            #expect(await fixture.json("GET", path).status == 404)
        }
    }

    /// A device without its token is answered byte for byte as one that does not exist.
    @Test func anothersDeviceIsUnknown() async throws {
        try await IngestFixture.run { fixture in
            let path = try #require(await put("", as: .news, on: fixture).headers["location"])
            let other = String(SampleTokens.apns.reversed())
            let unknown = await fixture.json(
                "GET", "/v1/devices/J8lHY4X1XkU", as: .app, headers: [Self.header: SampleTokens.apns])
            #expect(unknown.status == 404)
            for method in ["GET", "DELETE"] {
                for token in ["", other, "x", SampleTokens.apns + "00", SampleTokens.fcm] {
                    let response = await fixture.json(method, path, as: .app, headers: [Self.header: token])
                    #expect(response.status == 404 && response.text == unknown.text, "\(method) \(token)")
                }
            }
            #expect(await fixture.json("GET", path).status == 200, "it is still registered")
        }
    }

    @Test func triesAreCountedAsGuessedIds() async throws {
        var settings = RequestLimits.Settings()
        settings.unknownDevicesPerSecondPerAddress = 1
        try await IngestFixture.run(settings: settings) { fixture in
            let path = try #require(await put("", as: .app, on: fixture).headers["location"])
            for _ in 0..<10 { #expect(await fixture.json("GET", path, as: .app).status == 404) }
            #expect(await fixture.json("GET", path, as: .app, headers: [Self.header: SampleTokens.apns]).status == 429)
        }
    }

    @Test func aUserIsNamedByItsBackendOnly() async throws {
        try await IngestFixture.run { fixture in
            #expect(await put(#""user":"ada""#, as: .news, on: fixture).status == 201)
            for (member, field) in [
                (#""user":"eve""#, "user"), (#""user":"""#, "user"), (#""identifiers":{"hwid":"h"}"#, "identifiers"),
                (#""identifiers":{}"#, "identifiers"), (#""user_token":"eve""#, "user_token"),
                (#""user_token":"","language":"fi""#, "user_token"), (#""user_token":7"#, "user_token"),
            ] {
                let response = await put(member, as: .app, on: fixture)
                #expect(response.status == 400 && fields(response) == [field], "\(member): \(response.text)")
            }
            let kept = await put(#""language":"sv""#, as: .app, on: fixture)
            #expect(kept.status == 200 && kept.json["user"] == .string("ada"))
            let token = UserTokenTests.token(of: "bob", at: fixture.time.now)
            let changed = await put("\"user_token\":\"\(token)\"", as: .page, on: fixture)
            #expect(changed.status == 200 && changed.json["user"] == .string("bob"))
            fixture.time.advance(by: .seconds(661))
            #expect(fields(await put("\"user_token\":\"\(token)\"", as: .app, on: fixture)) == ["user_token"])
        }
    }

    @Test func aPrivateKeyIsUnaffected() async throws {
        try await IngestFixture.run { fixture in
            let origin = ["Origin": "https://elsewhere.example"]
            let created = await put(
                #""user":"ada","identifiers":{"hwid":"h"}"#, as: .news, on: fixture, headers: origin)
            #expect(created.status == 201 && created.json["user"] == .string("ada"))
            #expect(created.headers["access-control-allow-origin"] == nil)
            let path = try #require(created.headers["location"])
            #expect(await fixture.json("GET", path, headers: [Self.header: "wrong"]).status == 200)
            let token = UserTokenTests.token(of: "bob", at: fixture.time.now)
            #expect(fields(await put("\"user_token\":\"\(token)\"", as: .news, on: fixture)) == ["user_token"])
            #expect(await fixture.json("DELETE", path).status == 204)
        }
    }

    @Test func addressesThatGetPlainTextAreNotForPublicKeys() {
        #expect(PushProtocol.ofDevices.filter { !$0.isForPublicKeys } == [.wns, .mpns, .http])
    }

    @Test func aBoundKeyIsForItsPagesAlone() async throws {
        try await IngestFixture.run { fixture in
            let own = await put("", as: .page, on: fixture, headers: ["Origin": IngestFixture.pages])
            #expect(own.status == 201)
            #expect(own.headers["access-control-allow-origin"] == IngestFixture.pages)
            #expect(own.headers["access-control-allow-credentials"] == nil)
            #expect(own.headers["access-control-expose-headers"]?.contains("Location") == true)
            for origin in ["https://elsewhere.example", "http://www.example.com", "null"] {
                let foreign = await put("", as: .page, on: fixture, headers: ["Origin": origin])
                #expect(foreign.status == 403 && foreign.detail?.contains("origins") == true, "\(foreign.text)")
                #expect(foreign.headers["access-control-allow-origin"] == nil)
            }
            // An origin binds browsers only.
            #expect(await put("", as: .page, on: fixture).status == 200)
            let unbound = await put("", as: .app, on: fixture, headers: ["Origin": IngestFixture.pages])
            #expect(unbound.status == 200 && unbound.headers["access-control-allow-origin"] == nil)
            for response in [own, unbound] { #expect(response.headers["vary"] == "Origin") }
        }
    }

    /// A page whose key is refused reads the reason.
    @Test func aRefusalIsReadableByAKnownPage() async throws {
        try await IngestFixture.run { fixture in
            for (origin, allowed) in [(IngestFixture.pages, IngestFixture.pages), ("https://elsewhere.example", nil)] {
                let headers = ["Origin": origin, "Authorization": "Bearer wrong"]
                let response = await put("", as: .page, on: fixture, headers: headers)
                #expect(response.status == 401 && response.headers["vary"] == "Origin")
                #expect(response.headers["access-control-allow-origin"] == allowed)
            }
            let invalid = await put(#""typo":1"#, as: .page, on: fixture, headers: ["Origin": IngestFixture.pages])
            #expect(invalid.status == 400 && invalid.headers["access-control-allow-origin"] == IngestFixture.pages)
        }
    }

    @Test(arguments: ["", "/apps/news", "/apps/any"])
    func aPreflightIsAnsweredForKnownPages(base: String) async throws {
        try await IngestFixture.run { fixture in
            func ask(_ path: String, origin: String) async -> RawClient.Response {
                let headers = ["Origin": origin, "Access-Control-Request-Method": "PUT", "Authorization": ""]
                return await fixture.send("OPTIONS", base + path, body: [], headers: headers)
            }
            for (path, methods) in [
                ("/v1/devices", "PUT"), ("/v1/devices/J8lHY4X1XkU", "DELETE, GET"), ("/v1/receipts", "POST"),
                ("/v1/moments", "POST"),
                ("/v1/web-push-key", "GET"),
            ] {
                let known = await ask(path, origin: IngestFixture.pages)
                #expect(known.status == 204 && known.headers["vary"] == "Origin")
                #expect(known.headers["access-control-allow-origin"] == IngestFixture.pages)
                #expect(known.headers["access-control-allow-methods"] == methods)
                #expect(
                    known.headers["access-control-allow-headers"]
                        == "Authorization, Content-Type, Carillon-Device-Token")
                #expect(known.headers["access-control-allow-credentials"] == nil)
                let unknown = await ask(path, origin: "https://elsewhere.example")
                #expect(unknown.status == 204 && unknown.headers["access-control-allow-origin"] == nil)
            }
            for path in ["/v1/tasks", "/subscribers", "/v1/users/ada", "/v1/users/ada/devices"] {
                let closed = await ask(path, origin: IngestFixture.pages)
                #expect(closed.headers["access-control-allow-origin"] == nil, "\(path)")
            }
        }
    }

    /// A receipt is checked by its proof, which another device does not have: a public key needs no more.
    @Test func receiptsNeedTheirProofOnly() async throws {
        try await IngestFixture.run { fixture in
            let id = try await fixture.subscriber()
            let task = TaskID(high: 1, low: 2)
            let body = #"{"receipts":[{"task":"\#(task)","device":"\#(id)","proof":"T5JNtDiDTRMiFA","kind":"opened"}]}"#
            let answer = await fixture.json("POST", "/v1/receipts", json: body, as: .page)
            #expect(answer.status == 202, "\(answer.text)")
            #expect(answer.json["accepted"] == .integer(0), "\(answer.text)")
        }
    }

    /// One user of an app must not use up the requests of all others: a public key is limited by address.
    @Test func aPublicKeyIsLimitedByAddress() throws {
        var app = PushApp(id: try AppID("news"))
        app.limits.requestsPerSecond = 1
        for isPublic in [true, false] {
            let grant = Access.Grant(app: app, scopes: [.register], publicKey: isPublic ? PublicKeyTerms() : nil)
            let gatekeeper = Gatekeeper(
                limits: RequestLimits(time: ManualTimeSource()), crossOrigin: CrossOrigin { _ in false },
                access: { _, _ in Access(caller: .key("k"), grants: [grant]) })
            func admit(_ peer: String) throws -> AuthorizedCaller {
                let request = HTTPRequest(method: .put, path: "/v1/devices", peer: peer)
                return try gatekeeper.admit(request, toAppNamed: nil, for: [.register], allowsPublicKeys: true).caller
            }
            #expect(try admit("10.0.0.1").account == (isPublic ? nil : "k"))
            #expect(throws: Gatekeeper.AccessError.self) { _ = try admit("10.0.0.1") }
            let other = try? admit("10.0.0.2")
            #expect((other != nil) == isPublic)
        }
    }
}
