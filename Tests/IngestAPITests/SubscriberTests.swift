import Bus
import JSONKit
import PushModel
import ServiceKit
import TaskModel
import TestSupport
import Testing

/// `/subscribers` and `/subscriber/:id` as pushd's clients use them.
@Suite struct SubscriberTests {
    @Test func aDeviceWithoutAProviderIsRegisteredWithAWarning() async throws {
        try await IngestFixture.run { fixture in
            let reached = await fixture.form("POST", "/subscribers", form: "proto=apns&token=\(SampleTokens.apns)")
            #expect(reached.status == 201 && reached.headers["carillon-warning"] == nil)
            let token = String(repeating: "a", count: 64)
            for status in [201, 200] {
                let other = await fixture.form("POST", "/subscribers", form: "proto=huawei&token=\(token)")
                #expect(other.status == status)
                #expect(other.headers["carillon-warning"]?.contains("huawei") == true)
            }
        }
    }

    /// The registration of pushd's documentation, byte by byte.
    @Test func registersAsDocumented() async throws {
        try await IngestFixture.run { fixture in
            let response = await fixture.form(
                "POST", "/subscribers",
                form: "proto=apns&token=\(SampleTokens.apns)&lang=fr&badge=0&category=show&contentAvailable=true")
            #expect(response.status == 201)
            #expect(response.headers["content-type"] == "application/json")
            let id = try #require(response.json["id"]?.text)
            #expect(DeviceID(id) != nil)
            #expect(response.headers["location"] == "/subscriber/\(id)")
            let seconds = fixture.time.now.milliseconds / 1_000
            let fields =
                #""proto":"apns","token":"\#(SampleTokens.apns.lowercased())","lang":"fr","badge":0,"category":"show","#
                + #""contentAvailable":"true","updated":\#(seconds),"created":\#(seconds)"#
            #expect(response.text == "{\(fields),\"id\":\"\(id)\"}")

            let read = await fixture.form("GET", "/subscriber/\(id)")
            #expect(read.status == 200)
            #expect(read.text == "{\(fields)}")
        }
    }

    @Test func aKnownTokenKeepsItsIDAndWhatIsNotMentioned() async throws {
        try await IngestFixture.run { fixture in
            let id = try await fixture.subscriber("lang=fr&version=7.5")
            fixture.time.advance(by: .seconds(60))
            let again = await fixture.form(
                "POST", "/subscribers", form: "proto=apns&token=\(SampleTokens.apns.lowercased())&lang=de")
            #expect(again.status == 200)
            #expect(again.json["id"] == .string(id))
            #expect(again.headers["location"] == "/subscriber/\(id)")
            #expect(again.json["lang"] == .string("de"))
            #expect(again.json["version"] == .string("7.5"))
            let updated = fixture.time.now.milliseconds / 1_000
            #expect(again.json["updated"] == .integer(updated))
            #expect(again.json["created"] == .integer(updated - 60))
        }
    }

    @Test func takesJSON() async throws {
        try await IngestFixture.run { fixture in
            let response = await fixture.json(
                "POST", "/subscribers",
                json: """
                    {"proto":"apns","token":"\(SampleTokens.apns)","lang":null,"badge":3,"version":8,"contentAvailable":false,
                     "unknown":{"is":["ignored"]}}
                    """)
            #expect(response.status == 201)
            #expect(response.json["lang"] == nil)
            #expect(response.json["badge"] == .integer(3))
            #expect(response.json["version"] == .integer(8))
            #expect(response.json["contentAvailable"] == .string("false"))
            #expect(response.json["unknown"] == nil)
        }
    }

    /// pushd answered every numeric text as a number, whatever the field.
    @Test(arguments: [
        ("7", JSON.integer(7)), ("7.5", .string("7.5")), ("07", .string("07")), ("-1", .integer(-1)),
        ("9007199254740991", .integer(9_007_199_254_740_991)), ("9007199254740992", .string("9007199254740992")),
        ("-9223372036854775808", .string("-9223372036854775808")), ("", .string("")),
    ])
    func numbersAreAnsweredAsNumbers(text: String, expected: JSON) async throws {
        try await IngestFixture.run { fixture in
            let id = try await fixture.subscriber("version=\(text)&lang=\(text)&category=\(text)")
            let read = await fixture.form("GET", "/subscriber/\(id)").json
            #expect([read["version"], read["lang"], read["category"]] == [expected, expected, expected])
        }
    }

    @Test(arguments: ["fcm", "gcm", "c2dm"])
    func googlesOlderNamesAreFCM(proto: String) async throws {
        try await IngestFixture.run { fixture in
            let response = await fixture.form("POST", "/subscribers", form: "proto=\(proto)&token=\(SampleTokens.fcm)")
            #expect(response.status == 201)
            #expect(response.json["proto"] == .string("fcm"))
            #expect(response.json["token"] == .string(SampleTokens.fcm))
        }
    }

    @Test func takesHuawei() async throws {
        try await IngestFixture.run { fixture in
            let token = "IQAAAACy0kYwAADWsJ-2"
            let response = await fixture.form("POST", "/subscribers", form: "proto=huawei&token=\(token)")
            #expect(response.status == 201)
            #expect(response.json["token"] == .string(token))
        }
    }

    @Test func keepsTheFieldsOfOtherDialects() async throws {
        try await IngestFixture.run { fixture in
            let fields = [
                "environment": "sandbox", "time_zone": "Europe/Berlin", "app_version": "2.10.1",
                "external_user_id": "user 7", "hwid": "h-1",
                "appmetrica_device_id": "123", "ios_ifa": "8A690667-3204-4AD5-97DC-A0CA8AE4D5A6", "google_aid": "g",
                "huawei_oaid": "o",
            ]
            let text = fields.map { "\($0)=\($1.replacing(" ", with: "+"))" }.joined(separator: "&")
            let id = try await fixture.subscriber(text)
            let read = await fixture.form("GET", "/subscriber/\(id)").json
            for (name, value) in fields { #expect(read[name] == .string(value)) }

            let cleared = await fixture.form(
                "POST", "/subscriber/\(id)", form: "external_user_id=&environment=production")
            #expect(cleared.status == 204)
            let later = await fixture.form("GET", "/subscriber/\(id)").json
            #expect(later["external_user_id"] == nil)
            #expect(later["environment"] == nil)
            #expect(later["hwid"] == .string("h-1"))
        }
    }

    @Test func aPingChangesWhatItMentions() async throws {
        try await IngestFixture.run { fixture in
            let id = try await fixture.subscriber("lang=fr&badge=4&contentAvailable=1")
            let ping = await fixture.form("POST", "/subscriber/\(id)", form: "lang=en_CA&badge=0&contentAvailable=0")
            #expect(ping.status == 204)
            #expect(ping.body.isEmpty)
            let read = await fixture.form("GET", "/subscriber/\(id)").json
            #expect(read["lang"] == .string("en_CA"))
            #expect(read["badge"] == .integer(0))
            #expect(read["contentAvailable"] == .string("false"))
            #expect(await fixture.form("POST", "/subscriber/\(id)").status == 204)
        }
    }

    @Test func aRemovedSubscriberIsGone() async throws {
        try await IngestFixture.run { fixture in
            let id = try await fixture.subscriber()
            #expect(await fixture.form("DELETE", "/subscriber/\(id)").status == 204)
            #expect(await fixture.form("DELETE", "/subscriber/\(id)").status == 404)
            #expect(await fixture.form("GET", "/subscriber/\(id)").status == 404)
            let again = await fixture.form("POST", "/subscribers", form: "proto=apns&token=\(SampleTokens.apns)")
            #expect(again.status == 201)
            #expect(again.json["id"] != .string(id))
        }
    }

    /// The workflow of pushd's documentation posts to `/subscriber/:token`.
    @Test(arguments: [
        (SampleTokens.apns, "lang=fr", "apns"), (SampleTokens.fcm, "", "fcm"),
        (String(repeating: "Ab", count: 50) + "z_", "", "fcm"),
        (SampleTokens.apns, "proto=apns&token=\(SampleTokens.apns.lowercased())", "apns"),
        ("IQAAAACy0kYwAADWsJ-2", "proto=huawei", "huawei"),
    ])
    func aTokenInThePathRegisters(token: String, form: String, proto: String) async throws {
        try await IngestFixture.run { fixture in
            let response = await fixture.form("POST", "/subscriber/\(token)", form: form)
            #expect(response.status == 201)
            #expect(response.json["proto"] == .string(proto))
            let id = try #require(response.json["id"]?.text)
            #expect(response.headers["location"] == "/subscriber/\(id)")
            let again = await fixture.form("POST", "/subscriber/\(token)", form: form)
            #expect(again.status == 200)
            #expect(again.json["id"] == .string(id))
        }
    }

    @Test(arguments: [
        ("abc", "", 404), (String(repeating: "a", count: 63), "", 404), ("not%20a%20token", "", 404),
        (String(repeating: "a", count: 65), "", 400), (String(repeating: "a", count: 202), "", 400),
        ("abc", "proto=apns", 400), ("abc", "proto=pigeon", 400), (SampleTokens.apns, "proto=webpush", 400),
        (SampleTokens.apns, "token=" + String(repeating: "0", count: 64), 400), (SampleTokens.apns, "badge=many", 400),
    ])
    func whatIsNoTokenDoesNotRegister(path: String, form: String, status: Int) async throws {
        try await IngestFixture.run { fixture in
            let response = await fixture.form("POST", "/subscriber/\(path)", form: form)
            #expect(response.status == status)
            if status == 404 { #expect(response.text == "null") }
        }
    }

    @Test(arguments: ["proto=apns", "token=\(SampleTokens.apns)", "proto=apns&token=\(SampleTokens.apns)"])
    func aSubscribersTokenStays(form: String) async throws {
        try await IngestFixture.run { fixture in
            let id = try await fixture.subscriber()
            let response = await fixture.form("POST", "/subscriber/\(id)", form: form)
            #expect(response.status == 400)
            #expect(response.error?.hasPrefix("Invalid value for `") == true)
        }
    }

    @Test(arguments: ["GET", "POST", "DELETE"])
    func unknownIDsAreNotFound(method: String) async throws {
        try await IngestFixture.run { fixture in
            for id in ["J8lHY4X1XkU", "x", "%E2%82%AC", String(repeating: "y", count: 3_000)] {
                guard method != "POST" || id.count < 100 else { continue }
                let response = await fixture.form(method, "/subscriber/\(id)")
                #expect(response.status == 404)
                #expect(response.text == "null")
                #expect(response.headers["content-type"] == "application/json")
            }
        }
    }

    /// Goal: paths match as in Express; an id is case-sensitive.
    @Test func pathsAreSpelledAsExpressTakesThem() async throws {
        try await IngestFixture.run { fixture in
            let registered = await fixture.form("POST", "/Subscribers/", form: "proto=apns&token=\(SampleTokens.apns)")
            #expect(registered.status == 201)
            let id = try #require(registered.json["id"]?.text)
            #expect(await fixture.form("POST", "/subscriber/\(id)/SUBSCRIPTIONS/Sport/").status == 201)
            #expect(await fixture.form("GET", "/apps/news/Subscriber/\(id)/subscriptions/").json["Sport"] != nil)
            #expect(await fixture.form("GET", "/subscriber/\(id)/subscriptions/sport").status == 404)
            #expect(await fixture.form("GET", "/subscriber/\(id)//").status == 404)
            #expect(await fixture.json("GET", "/V1/tasks", as: .publisher).status == 404)
            #expect(await fixture.json("GET", "/v1/tasks/", as: .publisher).status == 404)
        }
    }

    @Test func aTestMessageGoesToTheSubscriberAlone() async throws {
        try await IngestFixture.run { fixture in
            let id = try await fixture.subscriber()
            let response = await fixture.form("POST", "/subscriber/\(id)/test")
            #expect(response.status == 201)
            let task = try #require(fixture.bus.tasks.first)
            #expect(response.headers["location"] == "/v1/tasks/\(task.id)")
            #expect(task.dialect == .pushd)
            #expect(task.target.audience == nil)
            let device = try #require(DeviceID(id))
            #expect(task.target.list == .entries([.device(device)]))
            #expect(task.content.message?.body?.standard == "Test")
            #expect(task.content.message?.data["test"] == .string("ok"))
            #expect(task.content.message?.badge == .increment, "pushd increments the badge")
            #expect(await fixture.form("POST", "/subscriber/J8lHY4X1XkU/test").status == 404)
            #expect(fixture.bus.tasks.count == 1)
        }
    }

    @Test func aTestMessageThatCannotBeTakenIsNotClaimedToBe() async throws {
        try await IngestFixture.run { fixture in
            let id = try await fixture.subscriber()
            fixture.bus.fail(with: BusError(.unavailable, message: "for the test"))
            let response = await fixture.form("POST", "/subscriber/\(id)/test")
            #expect(response.status == 503)
            #expect(response.headers["retry-after"] == "5")
            #expect(response.error == "Service Unavailable")
        }
    }

    @Test func headIsGetWithoutABody() async throws {
        try await IngestFixture.run { fixture in
            let id = try await fixture.subscriber()
            let path = "/subscriber/\(id)"
            let body = await fixture.form("GET", path).body
            let head = await fixture.head(path)
            #expect(head.status == 200)
            #expect(head.headers["content-length"] == "\(body.count)")
        }
    }
}
