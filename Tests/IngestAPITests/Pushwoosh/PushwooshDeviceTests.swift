import JSONKit
import PushModel
import ServiceKit
import Store
import TaskModel
import TestSupport
import Testing

@testable import IngestAPI

/// The calls of Pushwoosh's SDK.
@Suite struct PushwooshDeviceTests {
    private func register(
        _ changes: [String: String?] = [:], as key: IngestFixture.Key = .news, on fixture: IngestFixture
    ) async -> RawClient.Response {
        await fixture.device("registerDevice", PushwooshSamples.device(changes), as: key)
    }

    private func started(_ fixture: IngestFixture) async throws {
        let notification = PushwooshSamples.notification()
        try #require(await fixture.pushwoosh(PushwooshSamples.start, [notification]).isDone)
    }

    private func setToken(_ token: String, on fixture: IngestFixture) async -> RawClient.Response {
        let fields = ["activity_id": #""game-42""#, "activity_token": "\"\(token)\""]
        return await fixture.device("setActivityToken", PushwooshSamples.call(fields))
    }

    /// The tokens of the activity, as its publisher sees them.
    private func tokens(_ fixture: IngestFixture) async -> [String?] {
        let page = await fixture.json("GET", "/v1/activities/game-42/devices", as: .owner)
        return page.json["devices"]?.elements?.map { $0["token"]?.text } ?? []
    }

    @Test func aDeviceIsRegisteredAsTheSDKDescribesIt() async throws {
        try await IngestFixture.run { fixture in
            let response = await register(
                [
                    "language": #""de""#, "timezone": "7200", "gateway": #""sandbox""#, "app_version": #""1.2""#,
                    "os_version": #""18.1""#, "tags": #"{"Language":"de","Topics":["a"]}"#, "sounds": "[]",
                    "email": #""ada@example.com""#,
                ], on: fixture)
            #expect(response.isDone && response.json["response"] == .null, "\(response.text)")
            #expect(response.json["base_url"] == nil)
            let device = try #require(try await fixture.phones().first).device
            #expect(device.token == (try PushToken(.apns, text: SampleTokens.apns)))
            #expect(device.aliases == [.hardware: PushwooshSamples.hwid, .externalUser: "ada"])
            #expect(device.language == "de" && device.timeZone == "Etc/GMT-2" && device.environment == .sandbox)
            #expect(device.appVersion == "1.2" && device.version == "18.1")
        }
    }

    @Test func bothPathsTakeBothForms() async throws {
        try await IngestFixture.run { fixture in
            for (place, base) in ["/json/1.3", "/api/v2/device-api"].enumerated() {
                for isWrapped in [true, false] {
                    let hwid = "h-\(place)-\(isWrapped)"
                    let token = String(repeating: "\(place)\(isWrapped ? 1 : 2)", count: 32)
                    let device = PushwooshSamples.device(["hwid": "\"\(hwid)\"", "push_token": "\"\(token)\""])
                    let body = isWrapped ? #"{"request":\#(device)}"# : device
                    let response = await fixture.json("POST", "\(base)/registerDevice", json: body)
                    #expect(response.isDone, "\(response.text)")
                    let found = try await fixture.phones(hwid)
                    #expect(found.map(\.device.token.text) == [token])
                }
            }
        }
    }

    @Test(arguments: [
        ("0", "Etc/UTC"), ("-18000", "Etc/GMT+5"), (#""3600""#, "Etc/GMT-1"), ("50400", "Etc/GMT-14"),
        ("54000", nil), ("19800", nil), (#""Europe/Berlin""#, nil), ("{}", nil),
    ])
    func aTimeZoneIsThatOfWholeHours(offset: String, zone: String?) async throws {
        try await IngestFixture.run { fixture in
            #expect(await register(["timezone": offset], on: fixture).isDone)
            let found = try await fixture.phones()
            #expect(found.first?.device.timeZone == zone)
        }
    }

    @Test func otherPlatformsAreRegisteredByTheirTypes() async throws {
        try await IngestFixture.run { fixture in
            let huawei = "IQAAAACy0abcdefghij"
            let keys = #"{"p256dh":"\#(WebDeviceTests.publicKey)","auth":"\#(WebDeviceTests.secret)"}"#
            let subscription = #"{"endpoint":"\#(WebDeviceTests.endpoint)","keys":\#(keys)}"#
            for (type, token, kind) in [
                ("3", SampleTokens.fcm, PushProtocol.fcm), (#""17""#, huawei, .huawei), ("11", nil, .webpush),
            ] as [(String, String?, PushProtocol)] {
                let response = await register(
                    [
                        "hwid": "\"\(kind.name)\"", "device_type": type,
                        "push_token": token.map { "\"\($0)\"" } ?? "null",
                        "subscription": token == nil ? subscription : "null",
                    ], on: fixture)
                #expect(response.isDone, "\(response.text)")
                let found = try await fixture.phones(kind.name)
                #expect(found.map(\.device.token.kind) == [kind])
            }
        }
    }

    @Test(
        arguments: [
            (["hwid": nil], "hwid: missing"), (["hwid": #""""#], "hwid: expected"),
            (["device_type": nil], "device_type: missing"),
            (["device_type": "8"], "device_type: expected one of 1 (iOS), 3 (Android), 17 (Huawei), or 10, 11 or 12"),
            (["device_type": "18"], "device_type: expected"), (["device_type": "1.5"], "device_type: expected"),
            (["device_type": "10"], "subscription: missing"), (["push_token": nil], "push_token: missing"),
            (["push_token": #""abc""#], "push_token: expected 64 to 200 hexadecimal digits"),
            (["gateway": #""test""#], "gateway: expected sandbox or production"),
            (["language": "7"], "language: expected"), (["userId": "7"], "userId: expected"),
            (["application": nil], "application: missing"),
        ] as [([String: String?], String)])
    func aMistakeIsNamed(changes: [String: String?], message: String) async throws {
        try await IngestFixture.run { fixture in
            let response = await register(changes, on: fixture)
            #expect(response.status == 200 && response.code == 210 && response.json["response"] == .null)
            #expect(response.message.hasPrefix("request.\(message)"), "\(response.text)")
            let found = try await fixture.phones()
            #expect(found.isEmpty)
        }
    }

    /// Goal: a phone that got another token keeps what it had, and is sent nothing twice. Method: a token to start
    /// activities and a running one are registered before the token changes.
    @Test func anotherTokenReplacesTheDevice() async throws {
        try await IngestFixture.run { fixture in
            #expect(await register(on: fixture).isDone)
            let start = ["activity_push_to_start_token": "\"\(PushwooshSamples.otherToken)\""]
            #expect(await fixture.device("setActivityPushToStartToken", PushwooshSamples.call(start)).isDone)
            try await started(fixture)
            #expect(await setToken(PushwooshSamples.token, on: fixture).isDone)
            let newer = String(SampleTokens.apns.reversed())
            #expect(await register(["push_token": "\"\(newer)\""], on: fixture).isDone)
            let phones = try await fixture.phones()
            #expect(phones.map(\.device.token.text) == [newer.lowercased()])
            let type = try ActivityType("LiveActivityAttributes")
            #expect(phones.first?.device.startTokens[type]?.text == PushwooshSamples.otherToken)
            #expect(await tokens(fixture) == [PushwooshSamples.token])
            #expect(await setToken("", on: fixture).isDone, "it is found under the new token")
            #expect(await tokens(fixture) == [])
            #expect(await register(["push_token": "\"\(newer)\""], on: fixture).isDone, "a repeat changes nothing")
            let found = try await fixture.phones()
            #expect(found.map(\.id) == phones.map(\.id))
        }
    }

    @Test func aUserIsNamed() async throws {
        try await IngestFixture.run { fixture in
            #expect(await register(on: fixture).isDone)
            let call = PushwooshSamples.call(["userId": #""bob""#])
            #expect(await fixture.device("registerUser", call).isDone)
            let found = try await fixture.phones()
            #expect(found.first?.device.aliases[.externalUser] == "bob")
            let unnamed = await fixture.device("registerUser", PushwooshSamples.call(["userId": nil]))
            #expect(unnamed.code == 210 && unnamed.message.hasPrefix("request.userId: missing"))
        }
    }

    @Test func aTokenToStartActivitiesIsSetAndRemoved() async throws {
        try await IngestFixture.run { fixture in
            #expect(await register(on: fixture).isDone)
            let type = try ActivityType("Any")
            for (token, kept) in [(PushwooshSamples.token, PushwooshSamples.token), ("", nil)] {
                let fields = ["activity_push_to_start_token": "\"\(token)\""]
                #expect(await fixture.device("setActivityPushToStartToken", PushwooshSamples.call(fields)).isDone)
                let found = try await fixture.phones()
                #expect(found.first?.device.startTokens[type]?.text == kept)
            }
            for (fields, message) in [
                ([:], "missing"), (["activity_push_to_start_token": #""x""#], "expected 64 to 200"),
            ] as [([String: String?], String)] {
                let refused = await fixture.device("setActivityPushToStartToken", PushwooshSamples.call(fields))
                #expect(refused.code == 210)
                #expect(refused.message.hasPrefix("request.activity_push_to_start_token: \(message)"))
            }
        }
    }

    @Test func aTokenOfAnActivityGetsItsState() async throws {
        try await IngestFixture.run { fixture in
            #expect(await register(on: fixture).isDone)
            try await started(fixture)
            let sent = fixture.bus.tasks.count
            #expect(await setToken(PushwooshSamples.token, on: fixture).isDone)
            #expect(await setToken(PushwooshSamples.otherToken, on: fixture).isDone)
            #expect(await tokens(fixture) == [PushwooshSamples.otherToken], "the last one counts")
            #expect(fixture.bus.tasks.count == sent, "the start had the state")
            #expect(await setToken("", on: fixture).isDone)
            #expect(await tokens(fixture) == [])
        }
    }

    /// An app may start an activity on its own.
    @Test func anUnknownActivityBeginsWithItsToken() async throws {
        try await IngestFixture.run { fixture in
            #expect(await register(on: fixture).isDone)
            #expect(await setToken(PushwooshSamples.token, on: fixture).isDone)
            #expect(await tokens(fixture) == [PushwooshSamples.token])
            #expect(await fixture.pushwoosh(PushwooshSamples.update, [PushwooshSamples.change()]).isDone)
        }
    }

    @Test func anUnknownDeviceIsNamed() async throws {
        try await IngestFixture.run { fixture in
            #expect(await register(["device_type": "3", "push_token": "\"\(SampleTokens.fcm)\""], on: fixture).isDone)
            let fields = [
                "activity_id": #""game-42""#, "activity_token": "\"\(PushwooshSamples.token)\"",
                "activity_push_to_start_token": "\"\(PushwooshSamples.token)\"",
            ]
            for name in ["setActivityToken", "setActivityPushToStartToken"] {
                let android = await fixture.device(name, PushwooshSamples.call(fields))
                #expect(android.status == 200 && android.code == 210)
                #expect(android.message.hasPrefix("hwid: the app has no iOS device \(PushwooshSamples.hwid);"))
            }
            let unknown = PushwooshSamples.call(["hwid": #""h""#])
            #expect(await fixture.device("registerUser", unknown).code == 210)
            #expect(await fixture.device("unregisterDevice", unknown).isDone, "a repeat finds no device")
        }
    }

    @Test func aDeviceIsRemovedWithItsTokens() async throws {
        try await IngestFixture.run { fixture in
            #expect(await register(on: fixture).isDone)
            try await started(fixture)
            #expect(await setToken(PushwooshSamples.token, on: fixture).isDone)
            #expect(await fixture.device("unregisterDevice", PushwooshSamples.call()).isDone)
            let found = try await fixture.phones()
            #expect(found.isEmpty)
            #expect(await tokens(fixture) == [])
        }
    }

    /// What the SDK reports of a push is of Pushwoosh's own pushes.
    @Test(arguments: ["messageDeliveryEvent", "pushStat"])
    func aReportHasNoEffect(name: String) async throws {
        try await IngestFixture.run { fixture in
            let call = PushwooshSamples.call(["hash": #""1A""#, "metaData": #"{"a":1}"#])
            #expect(await fixture.device(name, call).isDone)
            #expect(fixture.bus.sent.isEmpty)
            #expect(await fixture.device(name, PushwooshSamples.call(["hwid": nil])).code == 210)
        }
    }

    /// Goal: an hwid proves nothing, so no one who only knows it may name its device. Method: every call with a public
    /// key, and without any.
    @Test func aPrivateKeyIsNeeded() async throws {
        try await IngestFixture.run { fixture in
            #expect(await register(on: fixture).isDone)
            for name in [
                "registerDevice", "unregisterDevice", "registerUser", "setActivityPushToStartToken",
                "setActivityToken", "messageDeliveryEvent", "pushStat",
            ] {
                for key in [IngestFixture.Key.app, .page] {
                    let response = await fixture.device(name, PushwooshSamples.device(["userId": #""eve""#]), as: key)
                    #expect(response.status == 403 && response.code == 403)
                    #expect(response.message.contains("The key is public"), "\(response.text)")
                }
                let body = #"{"request":\#(PushwooshSamples.device(["auth": "\"\(fixture.secret(.news))\""]))}"#
                let keyless = await fixture.json(
                    "POST", "/json/1.3/\(name)", json: body, headers: ["Authorization": ""])
                #expect(keyless.status == 403 && keyless.code == 403, "a device's key is in the head")
                let scopeless = await fixture.device(name, PushwooshSamples.device(), as: .publisher)
                #expect(scopeless.status == 403 && scopeless.message.contains("no scope register"))
            }
            let device = try #require(try await fixture.phones().first).device
            #expect(device.aliases[.externalUser] == "ada" && device.startTokens.isEmpty)
        }
    }
}
