import JSONKit
import ServiceKit
import TestSupport
import Testing

@testable import ProviderSimulator

@Suite struct FaultTests {
    private let random = SeededRandomSource(seed: 7)

    @Test func theNextFewAndNoMore() throws {
        var book = FaultBook()
        _ = book.add(FaultRule(endpoint: .send, effect: .fault(.drop, isDelivered: false), selection: .next(2)))
        let draws = (0..<3).map { _ in book.draw(for: .send, random).fault?.0 }
        #expect(draws == [.drop, .drop, nil])
        #expect(book.rules.isEmpty)
    }

    @Test func aShareOfMany() throws {
        var book = FaultBook()
        _ = book.add(FaultRule(endpoint: .send, effect: .fault(.stall, isDelivered: true), selection: .share(0.1)))
        let count = (0..<10_000).count { _ in book.draw(for: .send, random).fault != nil }
        #expect(900...1_100 ~= count)
    }

    @Test func onlyItsOwnEndpoint() throws {
        var book = FaultBook()
        _ = book.add(FaultRule(endpoint: .token, effect: .fault(.fail, isDelivered: false), selection: .always))
        #expect(book.draw(for: .send, random) == FaultBook.Draw())
        #expect(book.draw(for: .token, random).fault?.0 == .fail)
    }

    @Test func theFirstFaultWinsAndDelaysAddUp() throws {
        var book = FaultBook()
        for effect in [
            FaultRule.Effect.delay(.fixed(.milliseconds(20))), .fault(.refuse, isDelivered: false),
            .fault(.drop, isDelivered: false), .delay(.fixed(.milliseconds(5))),
        ] {
            _ = book.add(FaultRule(endpoint: .send, effect: effect, selection: .always))
        }
        let draw = book.draw(for: .send, random)
        #expect(draw.delay == .milliseconds(25))
        #expect(draw.fault?.0 == .refuse)
    }

    @Test func thereIsABoundOfRules() throws {
        var book = FaultBook()
        let rule = FaultRule(endpoint: .send, effect: .fault(.drop, isDelivered: false), selection: .always)
        for _ in 0..<FaultBook.rulesMaximum { #expect(book.add(rule) != nil) }
        #expect(book.add(rule) == nil)
    }

    @Test func aLongTailHasItsMedianAndItsTail() throws {
        let distribution = DelayDistribution.longTail(median: .milliseconds(20), p99: .milliseconds(500))
        let delays = (0..<10_000).map { _ in distribution.draw(random) }.sorted()
        #expect(.milliseconds(18)...Duration.milliseconds(22) ~= delays[5_000])
        #expect(.milliseconds(400)...Duration.milliseconds(650) ~= delays[9_900])
        #expect(delays.last.map { $0 <= DelayDistribution.longest } == true)
    }

    @Test(arguments: [
        "{\"kind\":\"answer\",\"status\":503,\"reason\":\"Shutdown\",\"retry_after\":3,\"next\":10}",
        "{\"kind\":\"drop\",\"delivered\":true,\"share\":0.25}",
        "{\"kind\":\"refuse\"}",
        "{\"kind\":\"delay\",\"fixed\":\"20ms\"}",
        "{\"kind\":\"delay\",\"from\":\"10ms\",\"to\":\"50ms\",\"endpoint\":\"token\"}",
        "{\"kind\":\"delay\",\"median\":\"20ms\",\"p99\":\"1s\"}",
    ])
    func aDocumentIsShownAsItWasRead(text: String) throws {
        let (rule, problems) = try read(text)
        #expect(problems == [])
        let shown = try JSON(FaultDocument.json(1, rule: try #require(rule)))
        for (name, value) in try #require(try JSON(text).object).members { #expect(shown[name] == value) }
    }

    @Test(arguments: [
        ("{}", "kind"), ("{\"kind\":\"explode\"}", "kind"), ("{\"kind\":\"answer\"}", "status"),
        ("{\"kind\":\"answer\",\"status\":99}", "status"), ("{\"kind\":\"drop\",\"share\":2}", "share"),
        ("{\"kind\":\"drop\",\"share\":0.5,\"next\":1}", "share"), ("{\"kind\":\"drop\",\"next\":0}", "next"),
        ("{\"kind\":\"refuse\",\"delivered\":true}", "delivered"), ("{\"kind\":\"delay\"}", "kind"),
        ("{\"kind\":\"delay\",\"from\":\"2ms\",\"to\":\"1ms\"}", "kind"),
        ("{\"kind\":\"delay\",\"fixed\":\"2h\"}", "fixed"),
    ])
    func aWrongDocumentIsNamed(text: String, path: String) throws {
        let (_, problems) = try read(text)
        #expect(problems.contains(path), "\(problems)")
    }

    private func read(_ text: String) throws -> (FaultRule?, [String]) {
        let problems = JSONProblems()
        let rule = FaultDocument.rule(JSONFields(try JSON(text), problems: problems))
        return (rule, problems.all.map(\.path))
    }
}
