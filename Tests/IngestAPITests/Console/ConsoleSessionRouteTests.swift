import JSONKit
import PushModel
import ServiceKit
import TestSupport
import Testing

@testable import Apps
@testable import IngestAPI

/// Signing in to the console, and what its session may do.
@Suite struct ConsoleSessionRouteTests {
    private static let task = #"{"audience":{"topic":"a"},"message":{"title":"T","body":"x"}}"#

    @Test func signingInGivesACookieThatScriptsCannotRead() async throws {
        try await IngestFixture.run(hasConsole: true) { fixture in
            let response = await ConsoleBrowser.signIn(fixture, key: fixture.secret(.publisher))
            #expect(response.status == 201)
            let cookie = try #require(response.headers["set-cookie"])
            #expect(cookie.hasPrefix("carillon_session=") && cookie.hasSuffix("; HttpOnly; SameSite=Strict"))
            #expect(response.headers["cache-control"] == "no-store")
            #expect(response.json["key"]?.text == fixture.keyID(.publisher))
            let app = try #require(response.json["apps"]?.elements?.first)
            #expect(app["app"]?.text == "news")
            #expect(app["scopes"]?.elements?.compactMap(\.text) == ["publish", "read"])
            #expect(response.json["simulator"] == .bool(false))
            #expect(!response.text.contains(fixture.secret(.publisher)))
        }
    }

    /// Goal: behind TLS, also of a proxy, the cookie never travels without it.
    @Test func theCookieIsBoundToTLS() async throws {
        try await IngestFixture.run(hasConsole: true) { fixture in
            let response = await ConsoleBrowser.signIn(
                fixture, key: fixture.secret(.owner), headers: ["Origin": "https://test"])
            let cookie = try #require(response.headers["set-cookie"])
            #expect(cookie.hasPrefix("__Host-carillon_session=") && cookie.hasSuffix("; Secure"))
            let browser = try await ConsoleBrowser(fixture, origin: "https://test")
            #expect(await browser.send("GET", "/console/session").status == 200)
        }
    }

    @Test func otherKeysDoNotSignIn() async throws {
        try await IngestFixture.run(hasConsole: true) { fixture in
            let keys = ["ck_a_b", fixture.secret(.app), fixture.secret(.page), APIKey.random().reveal()]
            for key in keys {
                let response = await ConsoleBrowser.signIn(fixture, key: key)
                #expect(response.status == 401 && response.headers["set-cookie"] == nil, "\(response.text)")
                #expect(response.headers["www-authenticate"]?.hasPrefix("Basic") == false)
                #expect(!response.text.contains(key))
            }
            let empty = await fixture.send(
                "POST", "/console/session", body: Array("{}".utf8), headers: ["Content-Type": "application/json"])
            #expect(empty.status == 400)
        }
    }

    /// Goal: no page of another site signs its visitor in, or acts for a visitor who is signed in.
    @Test func otherPagesAreRefused() async throws {
        try await IngestFixture.run(hasConsole: true) { fixture in
            let foreign = [["Origin": "http://evil.example"], ["Sec-Fetch-Site": "cross-site"]]
            for headers in foreign {
                let response = await ConsoleBrowser.signIn(fixture, key: fixture.secret(.owner), headers: headers)
                #expect(response.status == 401 && response.headers["set-cookie"] == nil)
            }
            let browser = try await ConsoleBrowser(fixture)
            for headers in foreign {
                #expect(await browser.send("GET", "/v1/tasks", headers: headers).status == 401)
                #expect(
                    await browser.send("POST", "/v1/tasks", json: Self.task, headers: headers).status == 401)
            }
            let listed = try await fixture.listed()
            #expect(listed.isEmpty)
        }
    }

    @Test func changesNeedTheToken() async throws {
        try await IngestFixture.run(hasConsole: true) { fixture in
            let browser = try await ConsoleBrowser(fixture)
            let other = try await ConsoleBrowser(fixture)
            for token in ["", "x", other.token] {
                let response = await browser.send(
                    "POST", "/v1/tasks", json: Self.task, headers: ["Carillon-CSRF": token])
                #expect(response.status == 403, "\(response.text)")
                #expect(
                    await browser.send("DELETE", "/console/session", headers: ["Carillon-CSRF": token]).status == 403)
            }
            let accepted = await browser.send("POST", "/v1/tasks", json: Self.task)
            #expect(accepted.status == 201, "\(accepted.text)")
            #expect(await browser.send("GET", "/v1/tasks", headers: ["Carillon-CSRF": ""]).status == 200)
        }
    }

    /// Goal: a session may what its key may. Method: the key without `publish` in one app, and none in the other.
    @Test func theKeysScopesDecide() async throws {
        try await IngestFixture.run(hasConsole: true) { fixture in
            let browser = try await ConsoleBrowser(fixture, as: .news)
            #expect(await browser.send("POST", "/v1/tasks", json: Self.task).status == 403)
            #expect(await browser.send("GET", "/apps/shop/v1/tasks").status == 404)
            let both = try await ConsoleBrowser(fixture, as: .both)
            #expect(await both.send("GET", "/v1/devices/x").status == 400)
        }
    }

    /// Goal: a key's tasks are the same person's, whether they come with the key or with a session.
    @Test func tasksBelongToTheKey() async throws {
        try await IngestFixture.run(hasConsole: true) { fixture in
            let browser = try await ConsoleBrowser(fixture, as: .publisher)
            let id = try #require(await browser.send("POST", "/v1/tasks", json: Self.task).json["id"]?.text)
            #expect(await fixture.json("POST", "/v1/tasks/\(id)/cancel", as: .publisher).status == 202)
        }
    }

    /// Goal: a session ends after its time, at once with its key, and when its user leaves. No ended one makes a browser
    /// ask for a password.
    @Test func aSessionEnds() async throws {
        try await IngestFixture.run(hasConsole: true) { fixture in
            let browser = try await ConsoleBrowser(fixture)
            func expectEnded(sourceLocation: SourceLocation = #_sourceLocation) async {
                for path in ["/console/session", "/v1/tasks"] {
                    let response = await browser.send("GET", path)
                    #expect(response.status == 401, sourceLocation: sourceLocation)
                    #expect(
                        response.headers["www-authenticate"]?.contains("Basic") == false,
                        sourceLocation: sourceLocation)
                }
            }
            let snapshot = fixture.currentApps.withLock { $0 }
            fixture.currentApps.withLock { $0 = AppSnapshot([], pepper: nil) }
            await expectEnded()
            fixture.currentApps.withLock { $0 = snapshot }
            #expect(await browser.send("GET", "/console/session").status == 200)
            fixture.time.advance(by: ConsoleSession.life)
            await expectEnded()
            let next = try await ConsoleBrowser(fixture)
            let left = await next.send("DELETE", "/console/session")
            #expect(left.status == 204 && left.headers["set-cookie"]?.contains("Max-Age=0") == true)
        }
    }

    /// Goal: a session that someone else has put into the browser is not continued by signing in.
    @Test func signingInReplacesASession() async throws {
        try await IngestFixture.run(hasConsole: true) { fixture in
            let planted = try await ConsoleBrowser(fixture, as: .news)
            let response = await ConsoleBrowser.signIn(
                fixture, key: fixture.secret(.owner), headers: ["Cookie": planted.cookie])
            let cookie = try #require(response.headers["set-cookie"]?.split(separator: ";").first.map(String.init))
            #expect(cookie != planted.cookie)
            #expect(await planted.send("GET", "/console/session").json["key"]?.text == fixture.keyID(.news))
        }
    }

    @Test func aKeyCountsBeforeASession() async throws {
        try await IngestFixture.run(hasConsole: true) { fixture in
            let browser = try await ConsoleBrowser(fixture, as: .owner)
            let response = await browser.send(
                "GET", "/v1/tasks", headers: ["Authorization": fixture.authorization(.poster)])
            #expect(response.status == 403)
        }
    }

    @Test func withoutAConsoleThereIsNone() async throws {
        try await IngestFixture.run { fixture in
            #expect(await ConsoleBrowser.signIn(fixture, key: fixture.secret(.owner)).status == 404)
            #expect(await fixture.send("GET", "/console", body: [], headers: [:]).status == 404)
            #expect(!fixture.routeNames.contains { $0.contains("/console") })
        }
    }
}
