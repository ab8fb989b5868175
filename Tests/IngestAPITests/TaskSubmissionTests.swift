import Bus
import HTTPServer
import JSONKit
import MemoryStore
import PushModel
import ServiceKit
import Store
import TaskKit
import TaskModel
import TestSupport
import Testing
import Topics

@testable import Apps
@testable import IngestAPI

/// Submissions of one or several drafts under one key, as every dialect makes them.
@Suite struct TaskSubmissionTests {
    /// An instance of the API with stores of its own, and the same time as every other.
    private struct Instance {
        let time = ManualTimeSource()
        let archive = FaultyArchive()
        let bus = TestProducer()
        let submission: TaskSubmission

        init() {
            let log = Log(service: "ingest-api", sink: CollectingSink())
            let environment = WorkerEnvironment(
                time: time, random: SeededRandomSource(seed: 1), log: log, metrics: Metrics(),
                health: Health(time: time))
            let access = TaskAccess.inMemory(archive, producer: bus, time: time)
            let registry = MemoryRegistry(time: time, random: SeededRandomSource(seed: 3))
            let cancellation = TaskCancellation(
                ledger: access.ledger, agenda: access.agenda, producer: bus, reader: registry,
                isRegistryReady: { true }, environment: environment)
            submission = TaskSubmission(
                access, cancellation: cancellation, reading: BodyReading(), idempotencyLease: .seconds(15),
                environment: environment)
        }

        /// The ids in the answer.
        func submit(
            _ drafts: [TaskDraft], key: SubmissionKey? = TaskSubmissionTests.key, of caller: AuthorizedCaller? = nil
        ) async throws -> [String] {
            let caller = try caller ?? TaskSubmissionTests.caller()
            let response = try await submission.submit(
                HTTPRequest(method: .post, path: "/"), of: caller, key: key, drafts: { _ in drafts },
                answer: { tasks in .json(JSONText.array(tasks.map { "\($0.id)" })) })
            guard case .bytes(let body) = response.body else { return [] }
            return try JSON(body).elements?.compactMap(\.text) ?? []
        }
    }

    private static let key = SubmissionKey(name: "a-key", fingerprint: [1])

    private static func caller(_ change: (inout PushApp) -> Void = { _ in }) throws -> AuthorizedCaller {
        var app = PushApp(id: try AppID("news"))
        app.providers.fcm = FCMCredentials(serviceAccountFile: KeyFile(field: "file", path: "key"), project: nil)
        change(&app)
        let access = Access(caller: .key("k1"), grants: [Access.Grant(app: app, scopes: [.publish])])
        return try AuthorizedCaller(access, for: [.publish]) { access.choose(nil, scope: $0) }
    }

    private static func draft(_ text: String, users: Int = 1) throws -> TaskDraft {
        var draft = TaskDraft()
        draft.entries = try (0..<users).map { .alias(try Alias(.externalUser, value: "user-\($0)")) }
        draft.content.payloads[.android] = JSONObject([("data", .object(JSONObject([("k", .string(text))])))])
        return draft
    }

    @Test func severalDraftsHaveStableIDs() async throws {
        let first = Instance()
        let drafts = try ["a", "b", "c"].map { try Self.draft($0) }
        let ids = try await first.submit(drafts)
        #expect(Set(ids).count == 3)
        #expect(first.bus.tasks.map { "\($0.id)" } == ids)
        #expect(first.bus.tasks.map { $0.content.payloads[.android]?["data"]?["k"]?.text } == ["a", "b", "c"])
        #expect(first.bus.tasks.allSatisfy { $0.id.isDerived && $0.created == first.time.now })
        #expect(try await first.submit(drafts) == ids)
        #expect(first.bus.tasks.count == 3, "a replay creates nothing")
        #expect(try await Instance().submit(drafts) == ids, "another instance, after the store lost the key")
        #expect(try await Instance().submit([drafts[0]]) == [ids[0]], "the id that a single draft has")
    }

    @Test func withoutAKeyEachTaskIsNew() async throws {
        let instance = Instance()
        let drafts = try ["a", "b"].map { try Self.draft($0) }
        let ids = try await instance.submit(drafts, key: nil) + instance.submit(drafts, key: nil)
        #expect(Set(ids).count == 4)
        #expect(instance.bus.tasks.allSatisfy { !$0.id.isDerived })
    }

    /// Goal: no task is sent before every draft is stored, and a repeat completes the submission under the same ids.
    /// Method: the bus fails at the list parts of the second draft.
    @Test func anInterruptedSubmissionIsCompletedByItsRepeat() async throws {
        let instance = Instance()
        let drafts = try ["a", "b"].map { try Self.draft($0, users: TargetList.entriesMaximum + 1) }
        instance.bus.fail(with: BusError(.unavailable, message: "for the test"), after: 1)
        await #expect(throws: BusError.self) { try await instance.submit(drafts) }
        #expect(instance.bus.tasks.isEmpty)
        #expect(Set(instance.bus.parts.map(\.task)).count == 1)
        let began = instance.time.now
        instance.time.advance(by: .seconds(5))
        instance.bus.fail(with: nil)
        let ids = try await instance.submit(drafts)
        #expect(instance.bus.tasks.map { "\($0.id)" } == ids)
        #expect(ids.first == instance.bus.parts.first.map { "\($0.task)" }, "the id of the first attempt")
        #expect(instance.bus.tasks.allSatisfy { $0.created == began })
        for task in instance.bus.tasks { #expect(try await instance.archive.content(of: task.id) != nil) }
    }

    /// A refused request stores nothing, and the corrected one may have its key.
    @Test func oneRefusedDraftRefusesAll() async throws {
        let instance = Instance()
        let drafts = [try Self.draft("a"), try Self.draft(String(repeating: "x", count: 5_000))]
        await #expect(throws: TaskError.self) { try await instance.submit(drafts) }
        #expect(instance.bus.sent.isEmpty)
        #expect(try await instance.archive.tasks(of: AppID("news"), before: nil, limit: 10).isEmpty)
        let corrected = SubmissionKey(name: Self.key.name, fingerprint: [2])
        #expect(try await instance.submit([drafts[0]], key: corrected).count == 1)
    }

    /// Goal: the replay of an answer renders nothing. Method: quotation marks within Google's limit; meanwhile the app
    /// changes to Huawei, whose limit they exceed.
    @Test func aReplayIsNotRendered() async throws {
        let instance = Instance()
        let drafts = [try Self.draft(String(repeating: "\"", count: 1_500))]
        let changed = try Self.caller { app in
            app.providers.fcm = nil
            app.providers.huawei = HuaweiCredentials(
                clientID: "1", clientSecretFile: KeyFile(field: "file", path: "key"), project: nil)
        }
        let ids = try await instance.submit(drafts)
        await #expect(throws: TaskError.self) { try await instance.submit(drafts, key: nil, of: changed) }
        #expect(try await instance.submit(drafts, of: changed) == ids)
        #expect(instance.bus.tasks.count == 1)
    }

    /// Goal: the smallest limit, that of Web Push, applies to the apps that have browsers, and to no others.
    @Test func theLimitOfWebPushIsThatOfItsApps() async throws {
        var draft = TaskDraft()
        draft.audience = .topic(try TopicName("news"))
        draft.content.platforms = Set(Platform.allCases)
        draft.content.message = PushMessage()
        draft.content.message?.body = LocalizedText(String(repeating: "x", count: 3_850))
        let drafts = [draft]
        #expect(try await Instance().submit(drafts).count == 1)
        let changed = try Self.caller { app in
            app.providers.webpush = WebPushCredentials(
                keyFile: KeyFile(field: "key_file", path: "key"), contact: "mailto:push@news.example")
        }
        let error = await #expect(throws: TaskError.self) { try await Instance().submit(drafts, of: changed) }
        guard case .invalid(let problems)? = error else { throw SetupError(description: "accepted") }
        #expect(problems.map(\.path) == ["message"])
        #expect(problems.first?.message.hasPrefix("too long for Web Push: ") == true)
    }
}
