import Apps
import JSONKit
import PushModel
import ServiceKit
import TaskModel
import TestSupport
import Testing

@testable import IngestAPI

/// Who may send requests of Pushwoosh's API, whose keys are in bodies.
@Suite struct PushwooshAccessTests {
    private static let forbidden = "Token restrictions forbid this operation. "

    private func send(
        _ path: String = PushwooshSamples.start, auth: String?, headers: [String: String] = ["Authorization": ""],
        application: String = PushwooshSamples.application, on fixture: IngestFixture
    ) async -> RawClient.Response {
        let body = PushwooshSamples.request(
            [PushwooshSamples.notification()], auth: auth, application: application)
        return await fixture.json("POST", path, json: body, headers: headers)
    }

    @Test func theKeyMayBeInTheBodyOrInTheHead() async throws {
        try await IngestFixture.run { fixture in
            let key = fixture.secret(.owner)
            #expect(await send(auth: key, on: fixture).isDone)
            for header in ["Bearer \(key)", "Token \(key)"] {
                let response = await send(
                    PushwooshSamples.update, auth: nil, headers: ["Authorization": header], on: fixture)
                #expect(response.code == 210, "it is no update: \(response.text)")
            }
            let wrong = await send(auth: key, headers: ["Authorization": "Bearer wrong"], on: fixture)
            #expect(wrong.status == 403, "the head takes precedence")
        }
    }

    @Test func aWrongKeyIsRefused() async throws {
        try await IngestFixture.run { fixture in
            for path in [PushwooshSamples.start, PushwooshSamples.update] {
                for auth in [nil, "", "wrong", String(repeating: "x", count: 2_000)] {
                    let response = await send(path, auth: auth, on: fixture)
                    #expect(response.status == 403 && response.code == 403 && response.json["response"] == .null)
                    #expect(response.message.hasPrefix("\(Self.forbidden)Send a valid key"), "\(response.text)")
                }
                let scopeless = await send(path, auth: fixture.secret(.news), on: fixture)
                #expect(scopeless.status == 403)
                #expect(scopeless.message == "\(Self.forbidden)The key has no scope publish for this app.")
                let isPublic = await send(path, auth: fixture.secret(.app), on: fixture)
                #expect(isPublic.status == 403 && isPublic.message.contains("public"))
            }
            #expect(fixture.bus.tasks.isEmpty)
        }
    }

    /// Goal: an app is not told from one that does not exist.
    @Test func anotherAppIsRefused() async throws {
        try await IngestFixture.run { fixture in
            let others = await send(auth: fixture.secret(.owner), application: "SHOP0-00001", on: fixture)
            #expect(others.status == 403 && others.code == 403)
            #expect(others.message == "\(Self.forbidden)The key has no access to this application.")
            let unknown = await send(auth: fixture.secret(.owner), application: "XXXXX-XXXXX", on: fixture)
            #expect(unknown.text == others.text)
            #expect(await send(auth: fixture.secret(.publishers), application: "SHOP0-00001", on: fixture).isDone)
            #expect(fixture.bus.tasks.map(\.app.text) == ["shop"])
            let activity = "/v1/activities/game-42"
            #expect(await fixture.json("GET", activity, as: .shop).status == 200)
            #expect(await fixture.json("GET", activity, as: .owner).status == 404)
            let change = await fixture.pushwoosh(PushwooshSamples.update, [PushwooshSamples.change()])
            #expect(change.code == 210, "the activity is the other app's: \(change.text)")
        }
    }

    /// Goal: before the key is known nothing else is examined. Method: mistakes, which a later step would report.
    @Test(arguments: [
        #"{}"#, #"{"request":7}"#, #"{"request":{}}"#, #"{"request":{"auth":7,"application":7}}"#,
        #"{"request":{"auth":"wrong","typo":1,"notifications":7}}"#,
        #"{"request":{"applications_group":"A","notifications":[]}}"#,
    ])
    func rightsComeFirst(body: String) async throws {
        try await IngestFixture.run { fixture in
            let response = await fixture.json(
                "POST", PushwooshSamples.start, json: body, headers: ["Authorization": ""])
            #expect(response.status == 403 && response.code == 403, "\(response.text)")
        }
    }

    @Test func theAppMustBeNamed() async throws {
        try await IngestFixture.run { fixture in
            for (body, message) in [
                (#"{}"#, "request: missing"), (#"{"request":7}"#, "request: expected an object"),
                (#"{"request":{"typo":1}}"#, "request.application: missing"),
                (#"{"request":{"applications_group":"A"}}"#, "request.applications_group: not supported"),
                (#"{"request":{"application":"NEWS0-00001","typo":1,"notifications":[]}}"#, "request.notifications: "),
            ] {
                let response = await fixture.json("POST", PushwooshSamples.start, json: body, as: .owner)
                #expect(response.status == 200 && response.code == 210)
                #expect(response.message.hasPrefix(message), "\(response.text)")
            }
        }
    }

    @Test func whatIsNoJSONIsMalformed() async throws {
        try await IngestFixture.run { fixture in
            for body in ["", "{", "[]", #"{"request":{},"request":{}}"#] {
                for headers in [["Authorization": ""], [:]] {
                    let response = await fixture.json(
                        "POST", PushwooshSamples.start, json: body, as: .owner, headers: headers)
                    #expect(response.status == 400 && response.code == 400, "\(body): \(response.text)")
                }
            }
        }
    }

    /// Clients written after Pushwoosh's samples with curl send JSON under the type of a form.
    @Test func theTypeOfTheBodyIsIgnored() async throws {
        try await IngestFixture.run { fixture in
            let type = ["Authorization": "", "Content-Type": "application/x-www-form-urlencoded"]
            #expect(await send(auth: fixture.secret(.owner), headers: type, on: fixture).isDone)
        }
    }

    /// Method: heads alone. The server answers the first at once, and waits for the bodies of the others.
    @Test func aLargeBodyNeedsAKeyInTheHead() async throws {
        try await IngestFixture.run { fixture in
            let refused = try #require(
                await fixture.sendHead("POST", PushwooshSamples.start, bodyBytes: 600 << 10, headers: [:]))
            #expect(refused.status == 413 && refused.code == 413)
            let long = #""auth":"\#(String(repeating: "x", count: 600 << 10))","#
            let body = PushwooshSamples.request([PushwooshSamples.notification()], auth: nil, fields: long)
            let keyed = await fixture.json("POST", PushwooshSamples.start, json: body, as: .owner)
            #expect(keyed.isDone, "\(keyed.text)")
        }
    }

    /// Goal: bodies whose sender is unknown hold a part of the memory only, and give it back, whether they are complete
    /// or not. Method: unfinished bodies hold the share of the address; then more bodies than it has room for follow
    /// each other.
    @Test func bodiesWithoutAKeyInTheHeadShareABudget() async throws {
        try await IngestFixture.run { fixture in
            let held = UnkeyedBodies.bodyBytesMaximum - 1
            var clients: [RawClient] = []
            for _ in 0..<UnkeyedBodies.shareMaximum / UnkeyedBodies.bodyBytesMaximum {
                clients.append(await fixture.openBody(of: PushwooshSamples.start, bytes: held, as: nil))
            }
            let gauge = fixture.metrics.gauge(.httpBodyBytesBuffered, labels: ["server": "http"])
            #expect(try await waitUntil(within: .hangLimit) { gauge.value == clients.count * held })
            let refused = await send(auth: fixture.secret(.owner), on: fixture)
            #expect(refused.status == 503 && refused.code == 503 && refused.headers["retry-after"] != nil)
            #expect(fixture.bus.tasks.isEmpty)
            let keyed = await fixture.json(
                "POST", PushwooshSamples.start,
                json: PushwooshSamples.request([PushwooshSamples.notification()], auth: nil), as: .owner)
            #expect(keyed.isDone, "\(keyed.text)")
            for client in clients { client.finishSending() }
            let hasRoom = try await waitUntil(within: .hangLimit) {
                await send(PushwooshSamples.update, auth: "wrong", on: fixture).status == 403
            }
            #expect(hasRoom)
            let change = PushwooshSamples.request([PushwooshSamples.change()], auth: fixture.secret(.owner))
            let body = change + String(repeating: " ", count: 400 << 10)
            for _ in 0..<20 {
                let response = await fixture.json(
                    "POST", PushwooshSamples.update, json: body, headers: ["Authorization": ""])
                #expect(response.isDone, "\(response.text)")
            }
        }
    }

    @Test func aRequestCountsForItsAppOnceItsKeyIsRead() async throws {
        var limits = AppLimits()
        limits.requestsPerSecond = 1
        try await IngestFixture.run(limits: limits) { fixture in
            let first = await send(auth: fixture.secret(.owner), on: fixture)
            #expect(first.isDone && first.headers["ratelimit"] != nil, "\(first.text)")
            let second = await send(auth: fixture.secret(.owner), on: fixture)
            #expect(second.status == 429 && second.code == 429 && second.headers["retry-after"] != nil)
            let other = await send(auth: fixture.secret(.publisher), on: fixture)
            #expect(other.code == 210, "another key has a limit of its own: \(other.text)")
        }
    }

    @Test func ownFaultsAreNoMistakesOfTheClient() async throws {
        try await IngestFixture.run { fixture in
            fixture.percentUsed.withLock { $0 = 100 }
            let full = await send(auth: fixture.secret(.owner), on: fixture)
            #expect(full.status == 503 && full.code == 503 && full.headers["retry-after"] != nil, "\(full.text)")
        }
    }

    @Test func aMethodWithoutRouteHasTheEnvelope() async throws {
        try await IngestFixture.run { fixture in
            let response = await fixture.json("GET", PushwooshSamples.start, as: .owner)
            #expect(response.status == 405 && response.code == 405)
        }
    }
}
