import PushModel
import Testing

@Suite struct NamesTests {
    @Test(arguments: ["a", "0", "shop", "a-b_c9", String(repeating: "z", count: 64)])
    func anAppHasAPlainName(text: String) throws {
        #expect(try AppID(text).text == text)
        #expect(try AppID(text).description == text)
    }

    @Test(arguments: ["", "-a", "_a", "A", "a b", "a.b", "a/b", "ä", "a\0", String(repeating: "z", count: 65)])
    func anythingElseIsNoApp(text: String) {
        #expect(throws: InvalidValueError.self) { try AppID(text) }
    }

    @Test func appsHaveAnOrder() throws {
        let sorted = try ["b", "a-", "a", "a0"].map { try AppID($0) }.sorted().map(\.text)
        #expect(sorted == ["a", "a-", "a0", "b"])
    }

    @Test(arguments: ["a", "en:news/Zürich", "{tag}", "*", "\u{80}", String(repeating: "t", count: 256)])
    func aTopicIsAlmostAnyText(text: String) throws {
        #expect(try TopicName(text).text == text)
        #expect(try Alias(.externalUser, value: text).value == text)
    }

    @Test(arguments: [
        "", "a\nb", "\u{7F}", "\0", String(repeating: "t", count: 257), String(repeating: "é", count: 129),
    ])
    func aTopicHasBounds(text: String) {
        #expect(throws: InvalidValueError.self) { try TopicName(text) }
        #expect(throws: InvalidValueError.self) { try Alias(.hardware, value: text) }
    }

    /// Goal: names are compared as stores do. Method: one accent in two spellings, which are equal for `String`.
    @Test func spellingsAreDifferentNames() throws {
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        #expect(composed == decomposed)
        let topics = try [TopicName(composed), TopicName(decomposed)]
        #expect(topics[0] != topics[1])
        #expect(Set(topics).count == 2)
        #expect(topics.sorted().map { Array($0.text.utf8) } == [Array(decomposed.utf8), Array(composed.utf8)])
        #expect(try Alias(.externalUser, value: composed) != Alias(.externalUser, value: decomposed))
        #expect(try Alias(.externalUser, value: composed) == Alias(.externalUser, value: composed))
        #expect(try Alias(.externalUser, value: composed) != Alias(.hardware, value: composed))
    }

    @Test func statesHaveNamesAndEnds() {
        #expect(
            DeliveryState.allCases.map(\.name) == [
                "not_targeted", "targeted", "claimed", "waiting", "delivered", "failed", "invalid", "invalid_removed",
                "expired", "suppressed", "cancelled", "unknown", "deferred",
            ])
        #expect(
            DeliveryState.allCases.filter { !$0.isTerminal } == [
                .notTargeted, .targeted, .claimed, .waiting, .deferred,
            ])
        #expect(DeliveryState.open == [.targeted, .claimed, .waiting, .deferred])
        #expect(DeliveryState.allCases.allSatisfy { $0.rawValue < 16 })
        #expect(DeferralCause.allCases.map(\.name) == ["local_time", "quiet_hours", "rate", "cap"])
        #expect(DeferralCause.allCases.map(\.rawValue) == [1, 2, 3, 4])
    }

    /// The names in app files, in the order in which `carillon apps list` shows them.
    @Test func dialectsNameTheAppInTheirRequestsOrNot() {
        let named = TaskDialect.allCases.filter { $0.appIdentifier != nil }
        #expect(named.map(\.rawValue) == ["richie", "appmetrica", "pushwoosh", "contextpush"])
        #expect(TaskDialect.allCases.filter { $0.appIdentifier == .number } == [.appmetrica])
    }
}
