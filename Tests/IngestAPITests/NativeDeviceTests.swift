import Apps
import JSONKit
import PushModel
import ServiceKit
import Store
import TestSupport
import Testing

@testable import IngestAPI

/// `/v1/devices`: registration, reading and removal of devices.
@Suite struct NativeDeviceTests {
    static let token = SampleTokens.apns.lowercased()

    private static let whole = """
        {"protocol":"apns","token":"\(SampleTokens.apns)","environment":"sandbox","user":"ada",
        "identifiers":{"hwid":"h1","ios_ifa":"i1"},"language":"fi_FI","time_zone":"Europe/Helsinki",
        "app_version":"2.10","system_version":"18.1","category":"show","badge":3,"content_available":true,
        "topics":["news",{"name":"sport","silent":true},{"name":"a/b c","silent":false}]}
        """

    private func put(
        _ fields: String, on fixture: IngestFixture, as key: IngestFixture.Key = .news
    ) async -> RawClient.Response {
        let json = #"{"protocol":"apns","token":"\#(SampleTokens.apns)"\#(fields.isEmpty ? "" : ",")\#(fields)}"#
        return await fixture.json("PUT", "/v1/devices", json: json, as: key)
    }

    @Test func aDeviceIsAnsweredAsItIsRead() async throws {
        try await IngestFixture.run { fixture in
            let response = await fixture.json("PUT", "/v1/devices", json: Self.whole)
            #expect(response.status == 201, "\(response.text)")
            let id = try #require(response.json["id"]?.text)
            #expect(response.headers["location"] == "/v1/devices/\(id)")
            let now = "\(fixture.time.now)"
            let expected = """
                {"id":"\(id)","protocol":"apns","platform":"ios","token":"\(Self.token)","environment":"sandbox",
                "user":"ada","identifiers":{"hwid":"h1","ios_ifa":"i1"},"language":"fi_FI",
                "time_zone":"Europe/Helsinki","app_version":"2.10","system_version":"18.1","category":"show","badge":3,
                "content_available":true,"topics":[{"name":"a/b c","silent":false},{"name":"news","silent":false},
                {"name":"sport","silent":true}],"registered":"\(now)","updated":"\(now)"}
                """
            #expect(response.json == (try JSON(expected)), "\(response.text)")
            let read = await fixture.json("GET", "/v1/devices/\(id)")
            #expect(read.status == 200 && read.text == response.text)
            #expect(await fixture.json("GET", "/apps/news/v1/devices/\(id)", as: .both).text == response.text)
        }
    }

    @Test func anAbsentFieldKeepsItsValueAndAnEmptyUserIsNone() async throws {
        try await IngestFixture.run { fixture in
            let first = await fixture.json("PUT", "/v1/devices", json: Self.whole)
            fixture.time.advance(by: .seconds(60))
            let second = await put(#""language":"sv","user":"","badge":null"#, on: fixture)
            #expect(second.status == 200 && second.headers["location"] == first.headers["location"])
            #expect(second.json["language"] == .string("sv"))
            #expect(second.json["user"] == nil)
            #expect(second.json["updated"] == .string("\(fixture.time.now)"))
            for name in ["id", "badge", "topics", "identifiers", "app_version", "environment", "registered"] {
                #expect(second.json[name] == first.json[name] && first.json[name] != nil, "\(name)")
            }
        }
    }

    @Test func givenTopicsAreTheOnlyOnes() async throws {
        try await IngestFixture.run { fixture in
            let id = try #require(await put(#""topics":["a","b"]"#, on: fixture).json["id"]?.text)
            let changed = await put(#""topics":[{"name":"b","silent":true},"c"]"#, on: fixture)
            #expect(changed.json["topics"]?.compactText == #"[{"name":"b","silent":true},{"name":"c","silent":false}]"#)
            let pushd = await fixture.form("GET", "/subscriber/\(id)/subscriptions")
            #expect(pushd.text == #"{"b":{"ignore_message":true},"c":{"ignore_message":false}}"#)
            #expect(await put("", on: fixture).json["topics"] == changed.json["topics"])
            #expect(await put(#""topics":[]"#, on: fixture).json["topics"] == .array([]))
            #expect(await fixture.json("GET", "/v1/devices/\(id)").json["topics"] == .array([]))
        }
    }

    static let mistakes: [(json: String, field: String)] = [
        (#"{"token":"x"}"#, "protocol"), (#"{"protocol":"apns"}"#, "token"),
        (#"{"protocol":"gcm","token":"x"}"#, "protocol"),
        (#"{"protocol":"webpush","token":"https://x.test/1"}"#, "subscription"),
        (#"{"protocol":"apple","token":"https://x.test/1"}"#, "protocol"),
        (#"{"protocol":"apns","token":"00"}"#, "token"), (#"{"protocol":"apns","token":7}"#, "token"),
    ]

    static let fieldMistakes: [(field: String, value: String)] = [
        ("environment", #""test""#), ("user", "7"), ("user", #""a\u0001""#), ("identifiers", "[]"),
        ("identifiers.hwid", ""), ("language", #""a\nb""#), ("time_zone", #""Europe Berlin""#), ("app_version", "2"),
        ("system_version", "true"), ("category", "{}"), ("badge", "-1"), ("badge", "1000000"), ("badge", #""1""#),
        ("content_available", "1"), ("topics", #""news""#), ("topics[0]", #"[""]"#), ("topics[0]", "[7]"),
        ("topics[0].name", "[{}]"), ("topics[0].silent", #"[{"name":"a","silent":1}]"#),
        ("topics[0].quiet", #"[{"name":"a","quiet":true}]"#), ("topics[1]", #"["a","a"]"#), ("typo", "1"),
    ]

    @Test(arguments: mistakes)
    func refusesWithTheField(json: String, field: String) async throws {
        try await IngestFixture.run { fixture in
            let response = await fixture.json("PUT", "/v1/devices", json: json)
            #expect(response.status == 400, "\(response.text)")
            #expect(response.json["type"] == .string("urn:carillon:invalid-fields"))
            #expect(response.json["errors"]?.elements?.first?["field"] == .string(field), "\(response.text)")
        }
    }

    /// Nothing of a refused request is stored.
    @Test(arguments: fieldMistakes)
    func refusesTheWholeRequest(field: String, value: String) async throws {
        try await IngestFixture.run { fixture in
            let name = field.split(separator: "[")[0].split(separator: ".")[0]
            let long = String(repeating: "x", count: Alias.bytesMaximum + 1)
            let text = field == "identifiers.hwid" ? #"{"hwid":"\#(long)"}"# : value
            let response = await put("\"\(name)\":\(text)", on: fixture)
            #expect(response.status == 400, "\(response.text)")
            #expect(response.json["errors"]?.elements?.map { $0["field"] } == [.string(field)], "\(response.text)")
            let left = try await fixture.registry.deviceCount(in: fixture.news)
            #expect(left == 0)
        }
    }

    @Test func topicsAreBounded() async throws {
        try await IngestFixture.run { fixture in
            func topics(_ count: Int) -> String {
                #""topics":[\#((0..<count).map { "\"t\($0)\"" }.joined(separator: ","))]"#
            }
            let most = await put(topics(RegistryBounds.subscriptionsMaximum), on: fixture)
            #expect(most.json["topics"]?.elements?.count == RegistryBounds.subscriptionsMaximum, "\(most.text)")
            let more = await put(topics(RegistryBounds.subscriptionsMaximum + 1), on: fixture)
            let error = more.json["errors"]?.elements?.first
            #expect(error?["detail"] == .string("expected an array of at most 1000 elements"))
        }
    }

    @Test func aKeyNeedsTheScopeOfTheRoute() async throws {
        try await IngestFixture.run { fixture in
            let id = try #require(await put(#""user":"ada""#, on: fixture).json["id"]?.text)
            let rows: [(IngestFixture.Key, String, String, Int)] = [
                (.publisher, "PUT", "/v1/devices", 403), (.publisher, "GET", "/v1/devices/\(id)", 200),
                (.publisher, "DELETE", "/v1/devices/\(id)", 403), (.publisher, "GET", "/v1/devices?user=ada", 200),
                (.publisher, "GET", "/v1/users/ada/devices", 200), (.publisher, "DELETE", "/v1/users/ada", 403),
                (.news, "GET", "/v1/devices/\(id)", 200), (.news, "GET", "/v1/devices?user=ada", 403),
                (.news, "GET", "/v1/users/ada/devices", 403), (.news, "DELETE", "/v1/users/ada", 403),
                (.poster, "GET", "/v1/devices/\(id)", 403),
            ]
            for (key, method, path, status) in rows {
                let response = await fixture.json(method, path, as: key)
                #expect(response.status == status, "\(key) \(method) \(path): \(response.text)")
            }
            #expect(await fixture.json("GET", "/v1/devices/\(id)").status == 200, "the device is still registered")
        }
    }

    @Test func devicesAreFoundByUserAndByToken() async throws {
        try await IngestFixture.run { fixture in
            _ = await put(#""user":"a/b ä.","topics":["news"]"#, on: fixture)
            let paths = [
                "/v1/devices?user=a%2Fb%20%C3%A4.", "/v1/users/a%2Fb%20%C3%A4./devices",
                "/v1/devices?protocol=apns&token=\(SampleTokens.apns)",
            ]
            for path in paths {
                let found = await fixture.json("GET", path, as: .publisher).json["devices"]?.elements ?? []
                #expect(found.count == 1 && found.first?["user"] == .string("a/b ä."), "\(path)")
                #expect(found.first?["topics"] == nil, "a list has no subscriptions")
            }
            // Another form of the same letter is another user.
            for path in ["/v1/devices?user=a", "/v1/users/a%2Fb%20a%CC%88./devices", "/v1/users/x/devices"] {
                #expect(await fixture.json("GET", path, as: .publisher).text == #"{"devices":[]}"#, "\(path)")
            }
            let other = "/v1/devices?protocol=fcm&token=\(SampleTokens.fcm)"
            #expect(await fixture.json("GET", other, as: .publisher).text == #"{"devices":[]}"#)
        }
    }

    @Test(arguments: [
        ("", "user"), ("?user=a&token=\(SampleTokens.apns)", "token"), ("?user=a&protocol=apns", "protocol"),
        ("?token=\(SampleTokens.apns)", "protocol"), ("?token=\(SampleTokens.apns)&protocol=pigeon", "protocol"),
        ("?token=00&protocol=apns", "token"), ("?user=", "user"), ("?limit=1", "limit"), ("?user=a&user=b", "user"),
    ])
    func aListIsOfOneUserOrOneToken(query: String, field: String) async throws {
        try await IngestFixture.run { fixture in
            let response = await fixture.json("GET", "/v1/devices\(query)", as: .publisher)
            #expect(response.status == 400)
            #expect(response.json["errors"]?.elements?.map { $0["field"] } == [.string(field)], "\(response.text)")
        }
    }

    @Test func aRemovedDeviceIsUnknown() async throws {
        try await IngestFixture.run { fixture in
            let id = try #require(await put("", on: fixture).json["id"]?.text)
            #expect(await fixture.json("DELETE", "/v1/devices/\(id)").status == 204)
            for (method, path) in [("DELETE", id), ("GET", id), ("GET", "x"), ("DELETE", "a%2Fb")] {
                let response = await fixture.json(method, "/v1/devices/\(path)")
                #expect(response.status == 404)
                #expect(response.json["type"] == .string("urn:carillon:unknown-device"))
            }
            #expect(await put("", on: fixture).status == 201)
        }
    }

    /// An address that guesses ids is refused, also for the id of a device.
    @Test func guessedIdsAreCounted() async throws {
        var settings = RequestLimits.Settings()
        settings.unknownDevicesPerSecondPerAddress = 1
        try await IngestFixture.run(settings: settings) { fixture in
            let id = try #require(await put("", on: fixture).json["id"]?.text)
            for _ in 0..<10 { #expect(await fixture.json("GET", "/v1/devices/J8lHY4X1XkU").status == 404) }
            for method in ["GET", "DELETE"] {
                #expect(await fixture.json(method, "/v1/devices/\(id)").status == 429)
            }
        }
    }

    @Test func limitsAreThoseOfEveryRegistration() async throws {
        var limits = AppLimits()
        limits.devices = 1
        try await IngestFixture.run(limits: limits) { fixture in
            #expect(await put("", on: fixture).status == 201)
            let other = #"{"protocol":"fcm","token":"\#(SampleTokens.fcm)"}"#
            let refused = await fixture.json("PUT", "/v1/devices", json: other)
            #expect(refused.status == 403 && refused.json["type"] == .string("urn:carillon:too-many-devices"))
            #expect(await put("", on: fixture).status == 200)
        }
    }

    /// A registration that changes nothing needs no room.
    @Test func aFullStoreRefusesWhatIsNew() async throws {
        try await IngestFixture.run { fixture in
            #expect(await put(#""topics":["a"]"#, on: fixture).status == 201)
            fixture.percentUsed.change { $0 = 62 }
            #expect(await put(#""topics":["a"],"language":"fi""#, on: fixture).status == 200)
            let refused = await put(#""topics":["a","b"]"#, on: fixture)
            #expect(refused.status == 503 && refused.headers["retry-after"] == "5")
            let other = #"{"protocol":"fcm","token":"\#(SampleTokens.fcm)"}"#
            #expect(await fixture.json("PUT", "/v1/devices", json: other).status == 503)
        }
    }

    @Test func aFailedStoreIsNoUnknownDevice() async throws {
        try await IngestFixture.run { fixture in
            let id = try #require(await put("", on: fixture).json["id"]?.text)
            fixture.registry.fail(with: StoreError(.unavailable, message: "away"))
            #expect(await put("", on: fixture).status == 503)
            for (method, path) in [
                ("GET", "/v1/devices/\(id)"), ("DELETE", "/v1/devices/\(id)"), ("GET", "/v1/devices?user=a"),
                ("GET", "/v1/users/a/devices"), ("DELETE", "/v1/users/a"),
            ] {
                #expect(await fixture.json(method, path, as: .owner).status == 503, "\(method) \(path)")
            }
        }
    }

    @Test func aProtocolWithoutAProviderIsWarnedOf() async throws {
        try await IngestFixture.run { fixture in
            let json = #"{"protocol":"huawei","token":"\#(String(repeating: "h", count: 32))"}"#
            let response = await fixture.json("PUT", "/v1/devices", json: json)
            #expect(response.status == 201 && response.headers["carillon-warning"]?.contains("huawei") == true)
            #expect(await put("", on: fixture).headers["carillon-warning"] == nil)
        }
    }
}
