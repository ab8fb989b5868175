import JSONKit
import PushModel
import Store
import Testing

@testable import Carillon

@Suite struct PushdSubscriberTests {
    private let token = String(repeating: "ab", count: 32)

    private func subscriber(
        _ fields: [String: String], events: [(name: [UInt8], options: Int)] = [], eventCount: Int? = nil
    ) -> PushdSubscriber {
        PushdSubscriber(
            id: Array("fkwhpd".utf8), values: PushdSubscriber.fieldNames.map { fields[$0].map { Array($0.utf8) } },
            events: events, eventCount: eventCount)
    }

    private var whole: [String: String] {
        ["proto": "apns", "token": token, "created": "1332953375", "updated": "1332953999"]
    }

    @Test func everyFieldIsRead() throws {
        var summary = ImportSummary()
        let fields = [
            "lang": "fr_CA", "version": "7.5", "category": "show", "contentAvailable": "true", "badge": "12",
        ]
        let device = try #require(
            subscriber(
                whole.merging(fields) { $1 },
                events: [(Array("sport".utf8), 0), (Array("news".utf8), 1), (Array("odd".utf8), 3)]
            ).device(PushdProtocols(), noting: &summary))
        #expect(device.token == (try PushToken(.apns, text: token)))
        #expect((device.created, device.updated) == (1_332_953_375, 1_332_953_999))
        #expect(
            device.changes
                == DeviceChanges(
                    environment: .production, contentAvailable: true, language: "fr_CA", version: "7.5",
                    category: "show", badge: 12))
        #expect(device.subscriptions.count == 3)
        #expect(device.subscriptions[try TopicName("sport")] == [])
        #expect(device.subscriptions[try TopicName("news")] == .ignoreMessage)
        #expect(device.subscriptions[try TopicName("odd")] == .ignoreMessage)
        #expect(summary.isComplete)
    }

    @Test(arguments: [
        ([:], ImportOmission.missing, "fkwhpd: no record"),
        (["token": "ab"], .incomplete, "fkwhpd: no proto, updated"),
        (["proto": "apns", "token": "ab"], .incomplete, "fkwhpd: no updated"),
        (["proto": "apple", "token": "ab", "updated": "1"], .unknownProtocol, "fkwhpd: apple"),
        (
            ["proto": "webpush", "token": "https://push.example/1", "updated": "1"], .missingKeys,
            "fkwhpd: pushd stores no keys"
        ),
        (
            ["proto": "apns", "token": "ab", "updated": "1"], .invalidToken,
            "fkwhpd: apns: expected 64 to 200 hexadecimal digits, an even number of them"
        ),
    ])
    func whatCannotBeADeviceIsLeftOut(_ fields: [String: String], omission: ImportOmission, sample: String) {
        var summary = ImportSummary()
        #expect(subscriber(fields).device(PushdProtocols(), noting: &summary) == nil)
        #expect(summary.omissions == [omission: ImportSummary.Omitted(count: 1, samples: [sample])])
        #expect(!omission.isPart)
    }

    /// pushd stores what clients send; the device is taken over without it.
    @Test(arguments: [
        ["badge": "-1"], ["badge": "1000000"], ["badge": "many"], ["lang": String(repeating: "x", count: 65)],
        ["category": "a\nb"], ["contentAvailable": "yes"], ["created": "soon"],
    ])
    func aFieldThatIsNotAllowedIsLeftOut(_ field: [String: String]) throws {
        var summary = ImportSummary()
        let device = subscriber(whole.merging(field) { $1 }).device(PushdProtocols(), noting: &summary)
        let found = try #require(device)
        #expect(found.changes == DeviceChanges(environment: .production))
        #expect(found.created == (field["created"] == nil ? 1_332_953_375 : 1_332_953_999))
        #expect(Array(summary.omissions.keys) == [.invalidField])
        #expect(ImportOmission.invalidField.isPart)
    }

    @Test func emptyFieldsAreAbsent() throws {
        var summary = ImportSummary()
        let fields = ["badge": "", "lang": "", "contentAvailable": ""]
        let device = subscriber(whole.merging(fields) { $1 }).device(PushdProtocols(), noting: &summary)
        #expect(try #require(device).changes == DeviceChanges(environment: .production))
        #expect(summary.isComplete)
    }

    @Test func subscriptionsThatCannotBeAreCounted() throws {
        var summary = ImportSummary()
        let events: [(name: [UInt8], options: Int)] = [
            (Array("news".utf8), 0), ([0xFF], 0), (Array(repeating: 0x61, count: 257), 0), (Array("a\u{1}".utf8), 0),
        ]
        let device = subscriber(whole, events: events, eventCount: 10).device(PushdProtocols(), noting: &summary)
        #expect(try #require(device).subscriptions == [try TopicName("news"): []])
        #expect(summary.omissions[.invalidEvent]?.count == 3)
        #expect(summary.omissions[.tooManySubscriptions]?.count == 6)
    }

    @Test func protocolsCanHaveOtherNames() throws {
        let protocols = try PushdProtocols(["apns-dev=apns/sandbox", "gcm=fcm", "phones=huawei"])
        #expect(protocols.meaning(of: "apns-dev") == PushdProtocols.Meaning(kind: .apns, environment: .sandbox))
        #expect(protocols.meaning(of: "apns") == PushdProtocols.Meaning(kind: .apns))
        #expect(protocols.meaning(of: "phones")?.kind == .huawei)
        #expect(protocols.meaning(of: "apns-test") == nil)
        #expect(PushdProtocols().rivals(of: "c2dm") == ["fcm", "gcm"])
        #expect(PushdProtocols().rivals(of: "fcm") == [])
        #expect(protocols.rivals(of: "apns-dev") == ["apns"])
        var summary = ImportSummary()
        let device = subscriber(whole.merging(["proto": "apns-dev"]) { $1 }).device(protocols, noting: &summary)
        #expect(device?.changes.environment == .sandbox)
    }

    @Test func theStateSurvivesItsEncoding() throws {
        var state = ImportState(source: "redis://127.0.0.1:6379/1")
        #expect(ImportState(state.encoded) == state)
        state.last = [0xFF, 0, 0x22]
        state.summary.subscribers = 12
        state.summary.takenOver = 7
        state.summary.takenBefore = 1
        state.summary.registered = 2
        state.summary.subscriptions = 30
        state.summary.protocols = [.apns: 4, .fcm: 3]
        for number in 1...7 { state.summary.add(.invalidToken, sample: "\"\(number)\"") }
        state.isComplete = true
        #expect(state.summary.omissions[.invalidToken]?.samples.count == 5)
        #expect(ImportState(state.encoded) == state)
        for broken in ["", "{}", #"{"version":2,"source":"a","complete":false,"summary":{}}"#] {
            #expect(ImportState(Array(broken.utf8)) == nil)
        }
    }

    /// Progress may not pass a page that is not done.
    @Test func pagesAreSettledInTheirOrder() {
        var pages = ImportPages(after: nil)
        var state = ImportState(source: "")
        for id in ["a", "b", "c"] {
            let isPage = pages.start([Array(id.utf8)])
            #expect(isPage)
        }
        #expect(pages.open == 3)
        var summary = ImportSummary()
        summary.subscribers = 1
        pages.done(3, with: summary)
        pages.done(2, with: summary)
        var hasAdvanced = pages.advance(&state)
        #expect(!hasAdvanced)
        #expect(state.last == nil)
        pages.done(1, with: summary)
        hasAdvanced = pages.advance(&state)
        #expect(hasAdvanced)
        #expect(state.last == Array("c".utf8))
        #expect(state.summary.subscribers == 3)
        #expect(pages.open == 0)
        let isPage = pages.start([])
        #expect(!isPage)
        #expect(pages.isAtEnd)
    }
}
