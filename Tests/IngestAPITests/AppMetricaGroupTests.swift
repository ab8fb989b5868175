import JSONKit
import PushModel
import ServiceKit
import Store
import TestSupport
import Testing

@testable import Apps
@testable import IngestAPI

/// AppMetrica's groups as in its documentation; where that leaves a choice, as in `docs/appmetrica.md`.
@Suite struct AppMetricaGroupTests {
    static let groups = "/push/v1/management/groups"
    private static let group = "/push/v1/management/group"

    private func create(
        _ fixture: IngestFixture, _ members: String, as key: IngestFixture.Key = .owner
    ) async -> RawClient.Response {
        await fixture.json("POST", Self.groups, json: #"{"group":{\#(members)}}"#, as: key)
    }

    private func id(_ response: RawClient.Response) throws -> Int64 {
        guard case .integer(let id) = response.json["group"]?["id"] else {
            throw SetupError(description: "no group in \(response.text)")
        }
        return id
    }

    private func types(_ response: RawClient.Response) -> [String?] {
        response.json["errors"]?.elements?.map { $0["error_type"]?.text } ?? []
    }

    private func locations(_ response: RawClient.Response) -> [String?] {
        response.json["errors"]?.elements?.map { $0["location"]?.text } ?? []
    }

    private func names(_ fixture: IngestFixture, appID: Int = 7) async -> [String?] {
        let list = await fixture.json("GET", "\(Self.groups)?app_id=\(appID)", as: .publisher)
        return list.json["groups"]?.elements?.map { $0["name"]?.text } ?? []
    }

    @Test func aGroupIsCreatedListedReadAndChanged() async throws {
        try await IngestFixture.run { fixture in
            let created = await create(fixture, #""app_id":7,"name":"spring \"é\"","send_rate":100"#)
            let id = try id(created)
            let text = #"{"id":\#(id),"app_id":7,"name":"spring \"é\"","send_rate":100}"#
            #expect(created.status == 200 && created.text == #"{"group":\#(text)}"#)
            #expect(TransferGroupBounds.ids.contains(id))
            let list = await fixture.json("GET", "\(Self.groups)?app_id=7", as: .publisher)
            #expect(list.status == 200 && list.text == #"{"groups":[\#(text)]}"#)
            let read = await fixture.json("GET", "\(Self.group)/\(id)", as: .publisher)
            #expect(read.status == 200 && read.text == created.text)
            let renamed = await fixture.json(
                "PUT", "\(Self.group)/\(id)", json: #"{"group":{"name":"autumn"}}"#, as: .poster)
            let answer = #"{"group":{"id":\#(id),"app_id":7,"name":"autumn","send_rate":100}}"#
            #expect(renamed.status == 200 && renamed.text == answer, "\(renamed.text)")
            _ = await fixture.json(
                "PUT", "\(Self.group)/\(id)", json: #"{"group":{"name":"autumn","send_rate":4999}}"#, as: .owner)
            #expect(
                await fixture.json("GET", "\(Self.group)/\(id)", as: .owner).json["group"]?["send_rate"]
                    == .integer(4_999))
            let second = await create(fixture, #""app_id":70,"name":"a""#)
            #expect(second.json["group"]?["send_rate"] == .integer(5_000))
            #expect(second.json["group"]?["app_id"] == .integer(70), "the second app_id of the same app")
            #expect(Set(await names(fixture)) == ["a", "autumn"])
            #expect(Set(await names(fixture, appID: 70)) == ["a", "autumn"])
        }
    }

    @Test func aGroupIsArchivedAndRestored() async throws {
        try await IngestFixture.run { fixture in
            let created = await create(fixture, #""app_id":7,"name":"a""#)
            let id = try id(created)
            for _ in 0..<2 {
                let archived = await fixture.json("DELETE", "\(Self.group)/\(id)", as: .owner)
                #expect(archived.status == 200 && archived.text == created.text)
            }
            #expect(await names(fixture).isEmpty)
            #expect(await fixture.json("GET", "\(Self.group)/\(id)", as: .owner).text == created.text)
            let other = try self.id(await create(fixture, #""app_id":7,"name":"a""#))
            let refused = await fixture.json("POST", "\(Self.group)/\(id)/restore", as: .owner)
            #expect(refused.status == 409 && types(refused) == ["conflict"])
            #expect(refused.json["code"] == .integer(409))
            #expect(await fixture.json("DELETE", "\(Self.group)/\(other)", as: .owner).status == 200)
            for _ in 0..<2 {
                let restored = await fixture.json("POST", "\(Self.group)/\(id)/restore", as: .owner)
                #expect(restored.status == 200 && restored.text == created.text)
            }
            #expect(await names(fixture) == ["a"])
        }
    }

    @Test func namesAreUniqueByBytes() async throws {
        try await IngestFixture.run { fixture in
            #expect(await create(fixture, "\"app_id\":7,\"name\":\"caf\u{e9}\"").status == 200)
            let other = await create(fixture, "\"app_id\":7,\"name\":\"cafe\u{301}\"")
            #expect(other.status == 200)
            let again = await create(fixture, "\"app_id\":70,\"name\":\"caf\u{e9}\"")
            #expect(again.status == 409 && types(again) == ["conflict"])
            #expect(again.headers["retry-after"] == nil)
            let id = try id(other)
            let renamed = await fixture.json(
                "PUT", "\(Self.group)/\(id)", json: "{\"group\":{\"name\":\"caf\u{e9}\"}}", as: .owner)
            #expect(renamed.status == 409)
            #expect(await create(fixture, "\"app_id\":8,\"name\":\"caf\u{e9}\"", as: .shop).status == 200)
            let statuses = try await Array(0..<16).concurrentMap(atOnce: 16) { _ in
                await create(fixture, #""app_id":7,"name":"new""#).status
            }
            #expect(statuses.sorted() == [200] + [Int](repeating: 409, count: 15))
        }
    }

    @Test(arguments: [
        (#"{"group":{"app_id":"7","name":"a"}}"#, ["invalid_parameter"], ["group.app_id"]),
        (#"{"group":{"app_id":0,"name":"a"}}"#, ["invalid_parameter"], ["group.app_id"]),
        (#"{"group":{"app_id":7.5,"name":"a"}}"#, ["invalid_parameter"], ["group.app_id"]),
        (#"{"group":{"name":"a"}}"#, ["missing_parameter"], ["group.app_id"]),
        (#"{}"#, ["missing_parameter"], ["group"]),
        (#"{"group":[]}"#, ["invalid_parameter"], ["group"]),
        (#"{"group":{"app_id":7}}"#, ["missing_parameter"], ["group.name"]),
        (#"{"group":{"app_id":7,"name":""}}"#, ["invalid_parameter"], ["group.name"]),
        (#"{"group":{"app_id":7,"name":"a\u0007"}}"#, ["invalid_parameter"], ["group.name"]),
        (
            #"{"group":{"app_id":7,"name":5,"send_rate":"100"}}"#, ["invalid_parameter", "invalid_parameter"],
            ["group.name", "group.send_rate"]
        ),
        (#"{"group":{"app_id":7,"name":"a","send_rate":99}}"#, ["invalid_parameter"], ["group.send_rate"]),
        (#"{"group":{"app_id":7,"name":"a","send_rate":5001}}"#, ["invalid_parameter"], ["group.send_rate"]),
        (#"{"group":{"app_id":7,"name":"a","rate":100}}"#, ["invalid_parameter"], ["group.rate"]),
        (#"{"group":{"app_id":7,"name":"a"},"x":1}"#, ["invalid_parameter"], ["x"]),
    ])
    func fieldsAreChecked(body: String, types: [String], locations: [String]) async throws {
        try await IngestFixture.run { fixture in
            let response = await fixture.json("POST", Self.groups, json: body, as: .owner)
            #expect(response.status == 400 && response.json["code"] == .integer(400), "\(response.text)")
            #expect(self.types(response) == types, "\(response.text)")
            #expect(self.locations(response) == locations)
            #expect(response.json["message"] == response.json["errors"]?.elements?.first?["message"])
            #expect(await names(fixture).isEmpty)
        }
    }

    @Test func namesHaveABound() async throws {
        try await IngestFixture.run { fixture in
            let longest = String(repeating: "é", count: 127) + "a"
            #expect(await create(fixture, #""app_id":7,"name":"\#(longest)""#).status == 200)
            #expect(await create(fixture, #""app_id":7,"name":"\#(longest)a""#).status == 400)
        }
    }

    /// Every refusal has AppMetrica's form: of the head, the query, the body, the method and the size.
    @Test func everyRefusalHasTheFormOfTheAPI() async throws {
        try await IngestFixture.run { fixture in
            let large = String(repeating: " ", count: 20_000)
            let form = ["Content-Type": "application/x-www-form-urlencoded"]
            let unknownKey = ["Authorization": "OAuth unknown"]
            let id = try id(await create(fixture, #""app_id":7,"name":"a""#))
            for (response, status, type) in [
                (await fixture.json("POST", Self.groups, json: "{", as: .owner), 400, "query_error"),
                (await fixture.json("POST", Self.groups, json: "[]", as: .owner), 400, "query_error"),
                (await fixture.json("POST", Self.groups, json: "a=b", as: .owner, headers: form), 415, "query_error"),
                (await fixture.json("POST", Self.groups, json: large, as: .owner), 413, "query_error"),
                (await fixture.json("PATCH", Self.groups, as: .owner), 405, "query_error"),
                (await fixture.json("GET", Self.groups, as: .owner), 400, "missing_parameter"),
                (await fixture.json("GET", "\(Self.groups)?app_id=07", as: .owner), 400, "invalid_parameter"),
                (await fixture.json("GET", "\(Self.groups)?app_id=7&app_id=8", as: .owner), 400, "invalid_parameter"),
                (await fixture.json("GET", "\(Self.groups)?app=7", as: .owner), 400, "invalid_parameter"),
                (await fixture.json("GET", "\(Self.groups)?app_id=8", as: .owner), 403, "access_denied"),
                (await fixture.json("GET", "\(Self.groups)?app_id=9", as: .owner), 403, "access_denied"),
                (await create(fixture, #""app_id":8,"name":"a""#), 403, "access_denied"),
                (await create(fixture, #""app_id":9,"name":"a""#), 403, "access_denied"),
                (await create(fixture, #""app_id":7,"name":"b""#, as: .news), 403, "access_denied"),
                (await fixture.json("GET", "\(Self.groups)?app_id=7", headers: unknownKey), 401, "unauthorized"),
                (await fixture.json("GET", "\(Self.group)/\(id)", as: .shop), 404, "not_found"),
                (await fixture.json("DELETE", "\(Self.group)/\(id)", as: .shop), 404, "not_found"),
                (await fixture.json("GET", "\(Self.group)/0\(id)", as: .owner), 404, "not_found"),
                (await fixture.json("GET", "\(Self.group)/x", as: .owner), 404, "not_found"),
                (await fixture.json("POST", "\(Self.group)/1/restore", as: .owner), 404, "not_found"),
                (await fixture.json("PUT", "\(Self.group)/\(id)", json: "{}", as: .owner), 400, "missing_parameter"),
            ] {
                #expect(response.status == status && types(response) == [type], "\(response.status) \(response.text)")
                #expect(response.json["code"] == .integer(Int64(status)))
                #expect(response.json["message"]?.text?.isEmpty == false)
                #expect(response.headers["content-type"] == "application/json")
                #expect((response.headers["www-authenticate"] == #"OAuth realm="carillon""#) == (status == 401))
                if status == 405 { #expect(response.headers["allow"] == "GET, HEAD, OPTIONS, POST") }
            }
            #expect(await names(fixture) == ["a"])
        }
    }

    @Test func theKeyIsInTheHeaderOrTheQuery() async throws {
        try await IngestFixture.run { fixture in
            let path = "\(Self.groups)?app_id=7"
            let key = fixture.secret(.publisher)
            func status(_ path: String, _ authorization: String) async -> Int {
                await fixture.json("GET", path, headers: ["Authorization": authorization]).status
            }
            #expect(await status(path, "OAuth \(key)") == 200)
            #expect(await status("\(path)&oauth_token=\(key)", "") == 200)
            #expect(await status("\(path)&oauth_token=\(key)x", "") == 401)
            #expect(await status("\(path)&oauth_token=", "") == 401)
            #expect(await status(path, "") == 401)
            #expect(await status("\(path)&oauth_token=\(key)", "OAuth unknown") == 401, "the header counts")
            #expect(await status("\(path)&oauth_token=unknown", "OAuth \(key)") == 200)
            #expect(await status("\(path)&oauth_token=" + String(repeating: "x", count: 2_000), "") == 401)
            let other = await fixture.json(
                "GET", "/v1/tasks?oauth_token=\(key)", headers: ["Authorization": ""])
            #expect(other.status == 401, "only in AppMetrica's API")
            #expect(!fixture.log.lines.contains { $0.contains(key) })
        }
    }

    /// Goal: in a full store existing groups can still be changed, and the client learns when to come back.
    @Test func aFullStoreTakesNoNewGroup() async throws {
        try await IngestFixture.run { fixture in
            let id = try id(await create(fixture, #""app_id":7,"name":"a""#))
            fixture.percentUsed.change { $0 = 99 }
            let refused = await create(fixture, #""app_id":7,"name":"b""#)
            #expect(refused.status == 503 && types(refused) == ["backend_error"])
            #expect(refused.headers["retry-after"] == "5")
            #expect(await fixture.json("DELETE", "\(Self.group)/\(id)", as: .owner).status == 200)
        }
    }

    @Test func aRateLimitIsAQuota() async throws {
        var limits = AppLimits()
        limits.requestsPerSecond = 1
        try await IngestFixture.run(limits: limits) { fixture in
            let created = await create(fixture, #""app_id":7,"name":"a""#)
            #expect(created.status == 200 && created.headers["ratelimit"] != nil)
            let refused = await create(fixture, #""app_id":7,"name":"b""#)
            #expect(refused.status == 429 && types(refused) == ["quota"])
            #expect(refused.headers["retry-after"] == "1")
        }
    }

    @Test func anAppHasAMaximumOfGroups() async throws {
        try await IngestFixture.run { fixture in
            for number in 1...TransferGroupBounds.countMaximum {
                let group = TransferGroup(id: Int64(number), name: "\(number)", rate: 100, isArchived: true)
                _ = try await fixture.groups.save(group, in: fixture.news)
            }
            let refused = await create(fixture, #""app_id":7,"name":"a""#)
            #expect(refused.status == 400 && types(refused) == ["invalid_parameter"])
            #expect(await create(fixture, #""app_id":8,"name":"a""#, as: .shop).status == 200)
        }
    }
}
