import PushModel
import Testing

@Suite struct AudienceExpansionTests {
    private let (a, b, c): (AudienceName, AudienceName, AudienceName)
    private let topic: Audience

    init() throws {
        (a, b, c) = (try AudienceName("a"), try AudienceName("b"), try AudienceName("c"))
        topic = .topic(try TopicName("t"))
    }

    private func error(_ audience: Audience, _ saved: [AudienceName: Audience]) -> Audience.ExpansionError? {
        do throws(Audience.ExpansionError) {
            _ = try audience.expanded(saved)
            return nil
        } catch {
            return error
        }
    }

    @Test func aNameIsReplacedByItsMeaning() throws {
        let audience = Audience.all([.saved(a), .not(.saved(b)), topic, .saved(a)])
        #expect(audience.savedNames == [a, b])
        let saved = [a: Audience.any([.saved(b), .filter(.user(true))]), b: topic]
        let expanded = try audience.expanded(saved)
        let meaning = Audience.any([topic, .filter(.user(true))])
        #expect(expanded == .all([meaning, .not(topic), topic, meaning]))
        #expect(expanded.savedNames.isEmpty)
    }

    /// Goal: an unexpanded name selects no device, and needs the scope of a broadcast.
    @Test func aNameAloneSelectsNothing() {
        let live = SegmentSet([1, 2])
        #expect(Audience.saved(a).select(live: live, members: [:]).members.isEmpty)
        #expect(Audience.saved(a).necessaryTopics == nil)
    }

    @Test func cyclesAreFound() {
        #expect(error(.saved(a), [a: .not(.saved(a))]) == .cycle([a, a]))
        #expect(error(.saved(c), [c: .saved(a), a: .any([.saved(b)]), b: .saved(a)]) == .cycle([a, b, a]))
        #expect(error(.all([.saved(a), .saved(a)]), [a: topic]) == nil)
        #expect(error(.saved(a), [:]) == .unknown(a))
    }

    /// Goal: audiences that contain each other several times are refused after as many steps as an audience may have
    /// parts. Method: 40 levels, each containing the next one ten times.
    @Test func expansionIsBounded() throws {
        let names = try (0...40).map { try AudienceName("n\($0)") }
        var saved: [AudienceName: Audience] = [names[40]: topic]
        for level in 0..<40 {
            saved[names[level]] = .any([Audience](repeating: .saved(names[level + 1]), count: 10))
        }
        #expect(error(.saved(names[0]), saved) == .tooManyParts)
        #expect(error(.saved(names[38]), saved) == nil)
    }

    @Test func namesHaveARule() {
        for text in ["", "A", "a b", "ä", "a/b", String(repeating: "a", count: 65)] {
            #expect(throws: InvalidValueError.self, "\(text)") { try AudienceName(text) }
        }
    }
}
