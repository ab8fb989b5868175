import JSONKit
import ServiceKit
import TestSupport
import Testing

/// Which callers have access to which app, and the answers that all others get.
@Suite struct AccessTests {
    @Test func basicTakesTheKeyAsPassword() async throws {
        try await IngestFixture.run { fixture in
            for user in ["", "anybody"] {
                let header = "Basic \(base64("\(user):\(fixture.secret(.news))"))"
                let response = await fixture.form(
                    "GET", "/subscriber/J8lHY4X1XkU", headers: ["Authorization": header])
                #expect(response.text == "null")
            }
        }
    }

    @Test(arguments: [
        "", "Bearer ck_0a_wrong", "Bearer", "Basic !", "Basic eDp5", "Digest username=x", "nonsense",
    ])
    func othersAreAskedForAKey(header: String) async throws {
        try await IngestFixture.run { fixture in
            for path in ["/subscriber/J8lHY4X1XkU", "/apps/news/subscriber/J8lHY4X1XkU", "/apps/none/subscriber/x"] {
                let response = await fixture.form("GET", path, headers: ["Authorization": header])
                #expect(response.status == 401)
                #expect(response.error == "Unauthorized")
                #expect(response.headers["www-authenticate"]?.isEmpty == false)
                #expect(response.headers["content-type"] == "application/json")
            }
        }
    }

    /// A well-formed key that no app has, and a key with a wrong secret.
    @Test func wrongKeysAreRefused() async throws {
        try await IngestFixture.run { fixture in
            let good = fixture.secret(.news)
            let other = fixture.secret(.both)
            let mixed = good.split(separator: "_")[..<2].joined(separator: "_") + "_" + other.suffix(43)
            for key in [mixed, good + "x", String(good.dropLast())] {
                let response = await fixture.form(
                    "GET", "/subscriber/x", headers: ["Authorization": "Bearer \(key)"])
                #expect(response.status == 401)
            }
        }
    }

    @Test func aKeyWithoutTheScopeIsForbidden() async throws {
        try await IngestFixture.run { fixture in
            for (method, path) in routes(id: try await fixture.subscriber()) {
                let response = await fixture.form(
                    method, path, form: "a=b", headers: ["Authorization": fixture.authorization(.publisher)])
                #expect(response.status == 403, "\(method) \(path)")
                #expect(response.error == "Unauthorized")
            }
        }
    }

    @Test func theAppInThePathIsChosenAndKeptInLocation() async throws {
        try await IngestFixture.run { fixture in
            let headers = ["Authorization": fixture.authorization(.both)]
            let form = "proto=apns&token=\(SampleTokens.apns)"
            let shop = await fixture.form("POST", "/apps/shop/subscribers", form: form, headers: headers)
            #expect(shop.status == 201)
            let id = try #require(shop.json["id"]?.text)
            #expect(shop.headers["location"] == "/apps/shop/subscriber/\(id)")
            #expect(await fixture.form("GET", "/apps/shop/subscriber/\(id)", headers: headers).status == 200)
            #expect(await fixture.form("GET", "/apps/news/subscriber/\(id)", headers: headers).status == 404)
            let news = await fixture.form("POST", "/apps/news/subscriber/\(SampleTokens.apns)", headers: headers)
            #expect(news.status == 201)
            #expect(news.headers["location"]?.hasPrefix("/apps/news/subscriber/") == true)
        }
    }

    @Test func everyRouteStandsBelowItsAppToo() async throws {
        try await IngestFixture.run { fixture in
            let id = try await fixture.subscriber()
            for (method, path) in routes(id: id) {
                let response = await fixture.form(method, "/apps/shop\(path)")
                #expect(response.status == 404)
                #expect(response.error == "No such app", "\(method) \(path)")
            }
        }
    }

    @Test(arguments: ["shop", "none", "NEWS", "%E2%82%AC", "a%2Fb"])
    func anAppThatIsNotGrantedIsNotFound(app: String) async throws {
        try await IngestFixture.run { fixture in
            let response = await fixture.form("GET", "/apps/\(app)/subscriber/x")
            #expect(response.status == 404)
            #expect(response.error == "No such app")
        }
    }

    @Test func severalAppsMustBeChosenFrom() async throws {
        try await IngestFixture.run { fixture in
            let response = await fixture.form(
                "GET", "/subscriber/x", headers: ["Authorization": fixture.authorization(.both)])
            #expect(response.status == 400)
            #expect(response.detail == "Choose one by the path: /apps/news/…, /apps/shop/…")
        }
    }

    @Test func anAllowedRangeNeedsNoKey() async throws {
        try await IngestFixture.run(openRange: "127.0.0.0/8") { fixture in
            let open = ["Authorization": ""]
            let form = "proto=apns&token=\(SampleTokens.apns)"
            #expect(await fixture.form("POST", "/subscribers", form: form, headers: open).status == 201)
            #expect(await fixture.form("POST", "/apps/shop/subscribers", form: form, headers: open).status == 404)
            // A caller that sends a key gets that key's rights only.
            let wrong = ["Authorization": "Bearer wrong"]
            #expect(await fixture.form("POST", "/subscribers", form: form, headers: wrong).status == 401)
        }
        try await IngestFixture.run(openRange: "10.0.0.0/8") { fixture in
            #expect(await fixture.form("GET", "/subscriber/x", headers: ["Authorization": ""]).status == 401)
        }
    }

    /// A page of another site, opened on an allowed machine, sends its requests from that machine's address.
    @Test(arguments: [
        (["Sec-Fetch-Site": "cross-site"], 401), (["Sec-Fetch-Site": "same-site"], 401),
        (["Origin": "https://evil.example"], 401), (["Origin": "null"], 401),
        (["Origin": "https://test.evil.example"], 401),
        (["Origin": "https://test", "Sec-Fetch-Site": "same-origin"], 201), (["Sec-Fetch-Site": "none"], 201),
    ])
    func aPageOfAnotherSiteHasNoRightsByAddress(headers: [String: String], status: Int) async throws {
        try await IngestFixture.run(openRange: "127.0.0.0/8") { fixture in
            let form = "proto=apns&token=\(SampleTokens.apns)"
            let open = headers.merging(["Authorization": ""]) { $1 }
            #expect(await fixture.form("POST", "/subscribers", form: form, headers: open).status == status)
            let keyed = headers.merging(["Authorization": fixture.authorization(.news)]) { $1 }
            // 200 if the previous request has registered the device.
            #expect([200, 201].contains(await fixture.form("POST", "/subscribers", form: form, headers: keyed).status))
        }
    }

    /// Four clients without a key could once fill the memory for bodies, so that every other write got 503.
    @Test(arguments: ["/subscribers", "/v1/tasks", "/push/v2/admin/task"])
    func theBodyOfACallerWithoutRightsIsNotWaitedFor(path: String) async throws {
        try await IngestFixture.run { fixture in
            let headers = ["Authorization": "Bearer wrong"]
            let refused = await fixture.sendHead("POST", path, bodyBytes: 16 << 20, headers: headers)
            #expect(refused?.status == 401)
            #expect(fixture.metrics.gauge(.httpBodyBytesBuffered, labels: ["server": "http"]).value == 0)
        }
    }

    @Test func aKeyThatMayNotPublishIsRefusedBeforeRichiesBodyComes() async throws {
        try await IngestFixture.run { fixture in
            let headers = ["Authorization": fixture.authorization(.news)]
            let refused = await fixture.sendHead("POST", "/push/v2/admin/task", bodyBytes: 16 << 20, headers: headers)
            #expect(refused?.status == 403)
        }
    }

    private func routes(id: String) -> [(String, String)] {
        [
            ("POST", "/subscribers"), ("GET", "/subscriber/\(id)"), ("POST", "/subscriber/\(id)"),
            ("POST", "/subscriber/\(id)/test"), ("GET", "/subscriber/\(id)/subscriptions"),
            ("POST", "/subscriber/\(id)/subscriptions"), ("DELETE", "/subscriber/\(id)/subscriptions"),
            ("GET", "/subscriber/\(id)/subscriptions/sport"), ("POST", "/subscriber/\(id)/subscriptions/sport"),
            ("DELETE", "/subscriber/\(id)/subscriptions/sport"), ("DELETE", "/subscriber/\(id)"),
        ]
    }

    /// Returns standard base64, which only credentials use.
    private func base64(_ text: String) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var result = ""
        for group in Array(text.utf8).chunks(of: 3) {
            let bits = group.enumerated().reduce(0) { $0 | Int($1.element) << (16 - 8 * $1.offset) }
            for position in 0..<4 {
                result.append(position <= group.count ? alphabet[bits >> (18 - 6 * position) & 63] : "=")
            }
        }
        return result
    }
}
