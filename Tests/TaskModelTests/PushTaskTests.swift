import JSONKit
import PushModel
import ServiceKit
import TaskModel
import Testing

@Suite struct PushTaskTests {
    @Test func aTaskComesBackAsItWas() throws {
        let task = try PushTaskTests.task()
        let problems = JSONProblems()
        let read = PushTask(try JSON(task.json.compactText), problems: problems)
        #expect(problems.all.isEmpty)
        #expect(read == task)
    }

    @Test func aTaskWithoutIdIsNone() throws {
        var object = try #require(try PushTaskTests.task().json.object)
        object["id"] = nil
        let problems = JSONProblems()
        #expect(PushTask(.object(object), problems: problems) == nil)
        #expect(problems.all.map(\.path) == ["id"])
    }

    /// Providers are told to try once, and the deadline allows that.
    @Test func aTaskWithoutTimeToLiveHasTimeForOneAttempt() throws {
        var task = try PushTaskTests.task()
        task.options.timeToLive = .milliseconds(1)
        #expect(task.deadline - task.created == .milliseconds(1))
        task.options.timeToLive = .zero
        #expect(task.deadline - task.created == PushTask.timeOfOneAttempt)
    }

    @Test func platformsAreThoseOfThePayloadsAndOfTheMessage() throws {
        let content = try PushTaskTests.task().content
        #expect(content.targetedPlatforms == [.ios, .android])
        var withoutMessage = content
        withoutMessage.message = nil
        #expect(withoutMessage.targetedPlatforms == [.ios])
    }

    @Test(arguments: [("fr-CA", "Salut"), ("fr", "Bonjour"), ("fr_BE", "Bonjour"), ("FR-ca", "Salut"), ("de", "Hello")])
    func theClosestTranslationIsTaken(language: String, expected: String) {
        let text = LocalizedText("Hello", translations: ["fr": "Bonjour", "fr-CA": "Salut"])
        #expect(text.text(for: language) == expected)
        #expect(text.text(for: nil) == "Hello")
    }

    private func message(title: String, _ problems: JSONProblems) throws -> PushMessage {
        PushMessage(JSONFields(try JSON("{\"title\":\(title)}"), path: "message", problems: problems))
    }

    @Test func aLanguageIsReadInAnySpelling() throws {
        let problems = JSONProblems()
        let title = try message(title: #"{"default":"Hello","PT_br":"Oi","FR":"Bonjour"}"#, problems).title
        #expect(problems.all.isEmpty)
        #expect(title == LocalizedText("Hello", translations: ["pt-br": "Oi", "fr": "Bonjour"]))
        let again = try message(title: try #require(title).json.compactText, problems).title
        #expect(again == title && problems.all.isEmpty)
    }

    @Test(arguments: [
        (#"{"default":"x","en":"a","EN":"b"}"#, "message.title.EN"),
        (#"{"default":"x","pt_BR":"a","pt-br":"b"}"#, "message.title.pt-br"),
        (#"{"Default":"x","default":"y"}"#, "message.title.Default"), (#"{"DEFAULT":"x"}"#, "message.title.DEFAULT"),
    ])
    func aSpellingThatWouldLoseATextIsRefused(title: String, path: String) throws {
        let problems = JSONProblems()
        _ = try message(title: title, problems)
        #expect(problems.all.map(\.path) == [path])
    }

    @Test func anAudienceIsReadAsItIsWritten() throws {
        let text = #"{"any":[{"topic":"news"},{"all_of":[{"all":true},{"not":{"topic":"sports"}}]}]}"#
        let problems = JSONProblems()
        let audience = Audience(JSONFields(try JSON(text), problems: problems))
        #expect(problems.all.isEmpty)
        #expect(audience?.json.compactText == text)
    }

    @Test(arguments: [
        (#"{"any":[{"topic":"a","all":true}]}"#, "audience.any[0]"), (#"{"all":false}"#, "audience.all"),
        (#"{"any":[]}"#, "audience.any"), (#"{"topics":"a"}"#, "audience.topics"), (#"{}"#, "audience"),
    ])
    func aWrongAudienceNamesItsField(text: String, path: String) throws {
        let problems = JSONProblems()
        #expect(Audience(JSONFields(try JSON(text), path: "audience", problems: problems)) == nil)
        #expect(problems.all.map(\.path).contains(path))
    }

    /// Goal: a task accepted by an earlier version is still read, even if new tasks must meet stricter rules. Method:
    /// an image whose text that version accepted as an address.
    @Test func aTaskOfBeforeKeepsItsImage() throws {
        var task = try PushTaskTests.task()
        task.content.message?.image = "https://cdn.example/x y.png"
        let problems = JSONProblems()
        #expect(PushTask(task.json, problems: problems) == task, "\(problems.all)")
    }

    static func task() throws -> PushTask {
        var message = PushMessage()
        message.title = LocalizedText("Hello", translations: ["fr": "Bonjour"])
        message.badge = .increment
        message.data["id"] = .integer(7)
        var task = PushTask(
            id: TaskID(high: 1, low: 2), app: try AppID("news"), created: Timestamp(milliseconds: 1_767_225_600_000))
        task.credential = "88148e1c060f"
        task.labels["campaign"] = "spring \"26\""
        task.labels["a.b-c_1"] = "é"
        task.dialect = .richie
        task.target.audience = .any([.topic(try TopicName("news")), .not(.everyone)])
        task.target.list = .entries([
            .device(DeviceID(index: DeviceIndex(rawValue: 5), tag: 9)), .alias(try Alias(.externalUser, value: "u\"1")),
            .token(try PushToken(.apns, text: String(repeating: "ab", count: 32))),
        ])
        task.content.message = message
        task.content.platforms = [.android]
        task.content.payloads = [.ios: JSONObject([("aps", .object(JSONObject([("alert", .string("Hi"))])))])]
        task.content.variables = ["name": "Ann"]
        task.options.collapseID = "c"
        task.options.timeToLive = .seconds(60)
        task.options.ambiguity = .atMostOnce
        task.options.priority = .normal
        task.unprovided = [.huawei, .apns]
        task.receiptKey = TaskReceiptKey(bytes: Array(1...16))
        task.reported = JSONObject([("topics", .array([.string("news")]))])
        return task
    }
}
