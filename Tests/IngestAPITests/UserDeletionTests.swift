import JSONKit
import MemoryStore
import PushModel
import ServiceKit
import Store
import TestSupport
import Testing
import Topics

@testable import IngestAPI

/// `DELETE /v1/users/:user`: every device of the user is removed, whatever happens meanwhile, and nothing else.
@Suite struct UserDeletionTests {
    private static let path = "/v1/users/ada"

    private static func token(_ number: Int) throws -> PushToken {
        let digits = String(number, radix: 16)
        return try PushToken(.apns, text: String(repeating: "0", count: 64 - digits.count) + digits)
    }

    @discardableResult
    private func register(
        _ numbers: Range<Int>, user: String, on fixture: IngestFixture, app: AppID? = nil
    ) async throws -> [DeviceID] {
        var ids: [DeviceID] = []
        for number in numbers {
            let registration = try await fixture.registry.register(
                Self.token(number), changes: DeviceChanges(aliases: [.externalUser: user]), in: app ?? fixture.news)
            ids.append(registration.registered.id)
        }
        return ids
    }

    private func delete(_ fixture: IngestFixture) async -> RawClient.Response {
        await fixture.json("DELETE", Self.path, as: .owner)
    }

    private func counts(_ response: RawClient.Response) -> [Int?] {
        ["devices_removed", "tasks_cancelled"].map { name in
            guard case .integer(let count) = response.json[name] else { return nil }
            return Int(count)
        }
    }

    @Test func aUserWithTheMostDevicesIsRemovedAndNoOther() async throws {
        try await IngestFixture.run { fixture in
            let most = RegistryBounds.devicesOfAliasMaximum
            let ids = try await register(0..<most, user: "ada", on: fixture)
            let others = try await register(most..<most + 2, user: "Ada", on: fixture)
            let shop = try AppID("shop")
            let elsewhere = try await register(0..<1, user: "ada", on: fixture, app: shop)
            let response = await delete(fixture)
            #expect(response.status == 200, "\(response.text)")
            #expect(response.json["user"] == .string("ada") && response.json["complete"] == .bool(true))
            #expect(counts(response) == [most, 0])
            for entry in response.json["stays"]?.elements ?? [] {
                #expect(["what", "where", "until"].allSatisfy { entry[$0]?.text?.isEmpty == false })
            }
            #expect(response.json["stays"]?.elements?.count ?? 0 > 3)
            for id in ids + others {
                let device = try await fixture.registry.device(id, in: fixture.news)
                #expect((device == nil) == ids.contains(id))
            }
            let left = try await fixture.registry.device(elsewhere[0], in: shop)
            #expect(left != nil)
            let repeated = await delete(fixture)
            #expect(counts(repeated) == [0, 0] && repeated.json["complete"] == .bool(true))
            #expect(repeated.json["stays"] == response.json["stays"])
        }
    }

    /// What opens taught is removed with the user, and stays for others of its name.
    @Test func whatOpensTaughtIsRemoved() async throws {
        try await IngestFixture.run { fixture in
            let users = [
                UserKey(try Samples.user("ada"), of: fixture.news), UserKey(try Samples.user("Ada"), of: fixture.news),
                UserKey(try Samples.user("ada"), of: try AppID("shop")),
            ]
            for user in users {
                #expect(
                    fixture.opens.update(user) { record in
                        var next = OpenRecord(zone: "UTC")
                        next.noteOpen(of: CampaignDigest(of: "daily"), hour: 8, in: "UTC")
                        record = next
                    })
            }
            #expect(await delete(fixture).status == 200)
            #expect(users.map { fixture.opens.record(of: $0) != nil } == [false, true, true])
        }
    }

    /// Goal: also after an interrupted request. Method: two devices of the user and one of another have the same task,
    /// and the first request cannot remove a device: a repeat would not find a removed one.
    @Test func theLastTasksOfItsDevicesAreRemovedToo() async throws {
        try await IngestFixture.run { fixture in
            let ids = try await register(0..<2, user: "ada", on: fixture)
            let other = try await register(2..<3, user: "bob", on: fixture)[0]
            let task = TaskID(high: 5, low: 5)
            fixture.deviceTasks.enter(
                task, closed: fixture.time.now, under: (ids + [other]).map(\.index), of: fixture.news)
            fixture.registry.failRemovals(after: 0)
            #expect(await delete(fixture).status == 503)
            fixture.registry.failRemovals(after: nil)
            for id in ids { #expect(fixture.deviceTasks.tasks(of: id.index, in: fixture.news) == []) }
            #expect(fixture.deviceTasks.tasks(of: other.index, in: fixture.news) == [task])
            #expect(counts(await delete(fixture)) == [2, 0])
        }
    }

    /// A new topic must not be missing in the account.
    @Test func theAccountNamesEveryTopicOnce() {
        let words = RemainingData.all.map { entry in
            entry.place.split { $0 == "," || $0 == " " }.map(String.init)
        }
        for topic in Topics.all {
            #expect(words.filter { $0.contains(topic.name) }.count == 1, "\(topic.name)")
        }
    }

    @Test func tasksForThisUserAloneAreCancelled() async throws {
        try await IngestFixture.run { fixture in
            let id = try await register(0..<1, user: "ada", on: fixture)[0]
            let moment = fixture.time.now + .seconds(86_400)
            func schedule(_ target: String) async throws -> TaskID {
                let json = #"{\#(target),"message":{"body":"x"},"send_at":"\#(moment)"}"#
                let response = await fixture.json("POST", "/v1/tasks", json: json, as: .owner)
                return try #require(response.json["id"]?.text.flatMap { TaskID($0) }, "\(response.text)")
            }
            let own = [
                try await schedule(#""users":["ada"]"#), try await schedule(#""devices":["\#(id)"]"#),
                try await schedule(#""users":["ada"],"devices":["\#(id)"]"#),
            ]
            let shared = [
                try await schedule(#""users":["ada","bob"]"#), try await schedule(#""users":["bob"]"#),
                try await schedule(#""users":["ada"],"audience":{"topic":"news"}"#),
            ]
            let response = await delete(fixture)
            #expect(counts(response) == [1, 3] && response.json["complete"] == .bool(true))
            for task in own { #expect(fixture.ledger.isCancelled(task)) }
            for task in shared { #expect(!fixture.ledger.isCancelled(task)) }
            // They are on the list until the scheduler has released them.
            #expect(counts(await delete(fixture)) == [0, 0])
        }
    }

    @Test func anUnreadableTaskIsAdmitted() async throws {
        try await IngestFixture.run { fixture in
            let now = fixture.time.now
            let entry = TaskEntry(app: fixture.news, begins: now + .seconds(60), deadline: now + .seconds(120))
            try await fixture.archive.schedule([1, 2, 3], of: TaskID(high: 1, low: 2), entry: entry)
            try await register(0..<1, user: "ada", on: fixture)
            let response = await delete(fixture)
            #expect(counts(response) == [1, 0])
            #expect(response.json["complete"] == .bool(false) && response.json["detail"]?.text != nil)
        }
    }

    /// Goal: a repeat removes what an interrupted request left. Method: the store fails after some removals.
    @Test func aRepeatCompletesAnInterruptedRequest() async throws {
        try await IngestFixture.run { fixture in
            try await register(0..<40, user: "ada", on: fixture)
            fixture.registry.failRemovals(after: 7)
            #expect(await delete(fixture).status == 503)
            fixture.registry.failRemovals(after: nil)
            let response = await delete(fixture)
            #expect(counts(response) == [33, 0], "\(response.text)")
            let left = try await fixture.registry.deviceCount(in: fixture.news)
            #expect(left == 0)
        }
    }

    /// Goal: a device whose registration runs beside the request is removed too. Method: it is registered after the
    /// devices were listed.
    @Test func aRegistrationMeanwhileIsRemovedToo() async throws {
        try await IngestFixture.run { fixture in
            try await register(0..<1, user: "ada", on: fixture)
            let (app, token) = (fixture.news, try Self.token(1))
            fixture.registry.beforeRemovals { [registry = fixture.registry] store async throws(StoreError) in
                registry.beforeRemovals(nil)
                _ = try await store.register(
                    token, changes: DeviceChanges(aliases: [.externalUser: "ada"]), in: app)
            }
            let response = await delete(fixture)
            #expect(counts(response) == [2, 0] && response.json["complete"] == .bool(true))
            let left = try await fixture.registry.deviceCount(in: app)
            #expect(left == 0)
        }
    }

    /// Goal: the request ends, and says that a device is left. Method: each removal is followed by a registration.
    @Test func aClientThatRegistersWithoutEndIsReported() async throws {
        try await IngestFixture.run { fixture in
            try await register(0..<1, user: "ada", on: fixture)
            let app = fixture.news
            let next = Monitor(1)
            fixture.registry.beforeRemovals { store async throws(StoreError) in
                let number = next.change { number in
                    defer { number += 1 }
                    return number
                }
                guard let token = try? Self.token(number) else { return }
                _ = try await store.register(
                    token, changes: DeviceChanges(aliases: [.externalUser: "ada"]), in: app)
            }
            let response = await delete(fixture)
            #expect(counts(response) == [UserDeletion.roundsMaximum, 0])
            #expect(response.json["complete"] == .bool(false))
            #expect(response.json["detail"]?.text?.contains("repeat the request") == true)
        }
    }

    /// Goal: a device that another user takes over meanwhile stays. Method: it changes its user before its removal.
    @Test func aDeviceOfAnotherUserByThenStays() async throws {
        try await IngestFixture.run { fixture in
            let ids = try await register(0..<DeviceBook.atOnceMaximum + 1, user: "ada", on: fixture)
            let (app, last) = (fixture.news, ids[DeviceBook.atOnceMaximum])
            fixture.registry.beforeRemovals { [registry = fixture.registry] store async throws(StoreError) in
                registry.beforeRemovals(nil)
                _ = try await store.change(last, changes: DeviceChanges(aliases: [.externalUser: "bob"]), in: app)
            }
            #expect(counts(await delete(fixture)) == [DeviceBook.atOnceMaximum, 0])
            let left = try await fixture.registry.device(last, in: app)
            #expect(left?.device.aliases[.externalUser] == "bob")
        }
    }

    @Test(arguments: ["%01", String(repeating: "u", count: 257)])
    func anImpossibleUserIsRefused(user: String) async throws {
        try await IngestFixture.run { fixture in
            for (method, path) in [("DELETE", "/v1/users/\(user)"), ("GET", "/v1/users/\(user)/devices")] {
                let response = await fixture.json(method, path, as: .owner)
                #expect(response.status == 400)
                #expect(response.json["errors"]?.elements?.first?["field"] == .string("user"))
            }
        }
    }
}
