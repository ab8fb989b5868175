import JSONKit
import Store
import TestSupport
import Testing

@testable import IngestAPI

/// Setting all subscriptions at once replaces them, or changes nothing.
@Suite struct BulkSubscriptionTests {
    private func list(_ fixture: IngestFixture) async throws -> String {
        "/subscriber/\(try await fixture.subscriber())/subscriptions"
    }

    @Test func setsExactlyWhatIsGiven() async throws {
        try await IngestFixture.run { fixture in
            let list = try await list(fixture)
            _ = await fixture.form("POST", "\(list)/old")
            let response = await fixture.json(
                "POST", list,
                json: #"{"sport":{}, "music":null, "news":{"ignore_message":true}, "art":{"ignore_message":0}, "tv":1}"#
            )
            #expect(response.status == 204)
            #expect(response.body.isEmpty)
            let subscriptions = await fixture.form("GET", list).json
            #expect(subscriptions.object?.names == ["art", "music", "news", "sport", "tv"])
            #expect(subscriptions["news"]?["ignore_message"] == .bool(true))
            #expect(subscriptions["art"]?["ignore_message"] == .bool(false))
        }
    }

    @Test func takesForms() async throws {
        try await IngestFixture.run { fixture in
            let list = try await list(fixture)
            #expect(await fixture.form("POST", list, form: "sport=&music&a%40b=1").status == 204)
            #expect(await fixture.form("GET", list).json.object?.names == ["a@b", "music", "sport"])
        }
    }

    @Test func optionsMayStandInForms() async throws {
        try await IngestFixture.run { fixture in
            let list = try await list(fixture)
            let form = "sport[ignore_message]=1&music%5Bignore_message%5D=0&art[ignore_message]=&tv="
            #expect(await fixture.form("POST", list, form: form).status == 204)
            let subscriptions = await fixture.form("GET", list).json
            #expect(subscriptions.object?.names == ["art", "music", "sport", "tv"])
            #expect(subscriptions["sport"]?["ignore_message"] == .bool(true))
            #expect(subscriptions["music"]?["ignore_message"] == .bool(false))
        }
    }

    /// A client that encodes events differently must not lose its subscriptions to such a name.
    @Test(arguments: ["events[]=sport", "sport[a][b]=1", "[sport]=1", "sport[=1"])
    func bracketsThatAreNoOptionsChangeNothing(form: String) async throws {
        try await IngestFixture.run { fixture in
            let list = try await list(fixture)
            _ = await fixture.form("POST", "\(list)/sport")
            let response = await fixture.form("POST", list, form: form)
            #expect(response.status == 400)
            #expect(response.detail?.hasPrefix("expected a name without brackets") == true, "\(response.text)")
            #expect(await fixture.form("GET", list).json.object?.names == ["sport"])
        }
    }

    /// Goal: a device can subscribe to every topic that a task can name; the path keeps pushd's own rule.
    @Test(arguments: ["Ä rouge & blanc", "news/sport", String(repeating: "é", count: 128), "a[b]", " "])
    func topicsOfTasksCanBeSubscribedTo(topic: String) async throws {
        try await IngestFixture.run { fixture in
            let list = try await list(fixture)
            let name = JSON.string(topic).compactText
            #expect(await fixture.json("POST", list, json: "{\(name):{}}").status == 204)
            #expect(await fixture.form("GET", list).json.object?.names == [topic])
            let task = #"{"audience":{"topic":\#(name)},"message":{"body":"x"}}"#
            let count = await fixture.json("POST", "/v1/tasks?dry_run=true", json: task, as: .publisher)
            #expect(count.text == #"{"devices":1}"#)
        }
    }

    @Test func theLastOfTwoCounts() async throws {
        try await IngestFixture.run { fixture in
            let list = try await list(fixture)
            let body = #"{"sport":{"ignore_message":false,"ignore_message":true},"sport":{"ignore_message":1}}"#
            #expect(await fixture.json("POST", list, json: body).status == 204)
            #expect(await fixture.form("GET", list).text == #"{"sport":{"ignore_message":true}}"#)
        }
    }

    @Test func noneEndsAll() async throws {
        try await IngestFixture.run { fixture in
            let list = try await list(fixture)
            for clear in ["{}", ""] {
                _ = await fixture.form("POST", "\(list)/sport")
                #expect(await fixture.json("POST", list, json: clear).status == 204)
                #expect(await fixture.form("GET", list).text == "{}")
            }
            _ = await fixture.form("POST", "\(list)/sport")
            #expect(await fixture.form("DELETE", list).status == 204)
            #expect(await fixture.form("GET", list).text == "{}")
        }
    }

    /// A request that lost its body must not end the client's subscriptions.
    @Test func nothingAtAllEndsNothing() async throws {
        try await IngestFixture.run { fixture in
            let list = try await list(fixture)
            _ = await fixture.form("POST", "\(list)/sport")
            #expect(await fixture.form("POST", list).status == 400)
            #expect(await fixture.form("GET", "\(list)/sport").status == 200)
        }
    }

    @Test(arguments: [
        #"{"good":{},"not\u0007good":{}}"#, #"{"good":{},"\#(String(repeating: "é", count: 128))e":{}}"#,
        #"{"good":{},"":{}}"#, #"{"good":{"ignore_message":2}}"#,
        #"{"good":{"ignore_message":"x"}}"#, #"{"good":{"ignore_message":[]}}"#, #"["good"]"#, #"{"good":"#,
    ])
    func oneMistakeChangesNothing(body: String) async throws {
        try await IngestFixture.run { fixture in
            let list = try await list(fixture)
            _ = await fixture.form("POST", "\(list)/sport")
            let response = await fixture.json("POST", list, json: body)
            #expect(response.status == 400)
            #expect(response.error != nil)
            #expect(await fixture.form("GET", list).text == #"{"sport":{"ignore_message":false}}"#)
        }
    }

    @Test(arguments: [RegistryBounds.subscriptionsMaximum + 1, 10_000])
    func tooManyAreRefusedWhole(count: Int) async throws {
        try await IngestFixture.run { fixture in
            let list = try await list(fixture)
            _ = await fixture.form("POST", "\(list)/sport")
            // The longest allowed names, so that their number is the limit and not the body's size.
            let padding = String(repeating: "x", count: 100)
            let names = (0..<count).map { "\"\("\($0)\(padding)".prefix(100))\":{\"ignore_message\":false}" }
            let response = await fixture.json("POST", list, json: "{\(names.joined(separator: ","))}")
            #expect(response.status == 400)
            #expect(response.error == "Too many subscriptions")
            #expect(response.detail == "\(count) subscriptions exceed the limit of 1000 for a subscriber.")
            #expect(await fixture.form("GET", list).json.object?.names == ["sport"])
        }
    }

    @Test func asManyAsAllowedAreTaken() async throws {
        try await IngestFixture.run { fixture in
            let list = try await list(fixture)
            let names = (0..<RegistryBounds.subscriptionsMaximum).map { "\"event\($0)\":{}" }
            #expect(await fixture.json("POST", list, json: "{\(names.joined(separator: ","))}").status == 204)
            #expect(
                await fixture.form("GET", list).json.object?.members.count == RegistryBounds.subscriptionsMaximum)
        }
    }
}
