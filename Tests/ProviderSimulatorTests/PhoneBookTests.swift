import JSONKit
import ServiceKit
import TestSupport
import Testing

@testable import ProviderSimulator

@Suite struct PhoneBookTests {
    private let now = Timestamp(milliseconds: 1_767_225_600_500)

    @Test(arguments: [PhoneToken.Kind.device, .liveActivity]) func aTokenIsKnownByAllItsDigits(
        kind: PhoneToken.Kind
    ) throws {
        let token = PhoneToken.random(SeededRandomSource(seed: 3))
        let text = token.text(as: kind)
        #expect(text.utf8.count == (kind == .device ? 64 : 160))
        #expect(PhoneToken(startOf: text) == token && PhoneToken(startOf: text.uppercased()) == token)
        #expect(token.isSpelled(text, as: kind) && token.isSpelled(text.uppercased(), as: kind))
        #expect(!token.isSpelled(String(text.dropLast()) + "x", as: kind) && !token.isSpelled(text + "00", as: kind))
        #expect(PhoneToken(startOf: "abc") == nil && PhoneToken(startOf: String(repeating: "x", count: 64)) == nil)
    }

    @Test func equalContentStatesAreStoredOnce() {
        var states = ContentStates()
        let (first, second) = (states.retain("{\"a\":1}"), states.retain("{\"a\":1}"))
        let other = states.retain("{\"a\":2}")
        #expect(first == second && other != first && states.count == 2)
        states.release(first)
        #expect(states.text(second) == "{\"a\":1}" && states.count == 2)
        states.release(second)
        #expect(states.count == 1)
        #expect(states.retain("{\"a\":3}") == first)
        #expect(states.text(other) == "{\"a\":2}" && states.count == 2)
    }

    /// A second start replaces token and state, and pushes to the first token reach no activity.
    @Test func aSecondStartEndsTheFirst() throws {
        var book = book()
        let phone = try #require(book.add(1, to: PhoneGroup(), activity: nil)?.first)
        try start("m", at: 10, in: &book, of: phone)
        let first = try #require(book.phones[0].activities.first)
        try start("m", at: 20, in: &book, of: phone)
        let second = try #require(book.phones[0].activities.first)
        #expect(book.phones[0].activities.count == 1 && second.counts[.starts] == 2 && second.timestamp == 20)
        let former = try #require(first.token)
        #expect(second.token != former)
        let use = try #require(book.use(of: former.text(as: .liveActivity)))
        book.deliver(try update(2, at: 30, serial: use.serial, of: phone), at: now)
        #expect(book.phones[0].counts[.afterEnd] == 1 && book.phones[0].activities.first?.timestamp == 20)
        #expect(book.states.count == 1)
    }

    @Test func aPhoneHasABoundOfActivities() throws {
        var book = book()
        let phone = try #require(book.add(1, to: PhoneGroup(), activity: nil)?.first)
        for number in 0..<20 { try start("m\(number)", at: 10, in: &book, of: phone) }
        #expect(book.phones[0].activities.map(\.id) == (12..<20).map { "m\($0)" })
        #expect(book.states.count == 1)
    }

    @Test func thereIsABoundOfPhones() throws {
        var book = book()
        for _ in 0..<10 { #expect(book.add(PhoneBook.phonesMaximum / 10, to: PhoneGroup(), activity: "m") != nil) }
        #expect(book.add(1, to: PhoneGroup(), activity: nil) == nil)
        #expect(book.phones.count == PhoneBook.phonesMaximum)
        book.removeAll()
        #expect(book.uses.isEmpty && book.phones.isEmpty)
        #expect(book.add(1, to: PhoneGroup(), activity: nil)?.first?.number == PhoneBook.phonesMaximum + 1)
    }

    @Test func channelsAreLeftAtTheEnd() throws {
        var book = book()
        let phone = try #require(book.add(1, to: PhoneGroup(), activity: nil)?.first)
        let content = try LiveActivityPush(
            JSON(
                LiveActivityPayload.start(at: 1, attributes: "{\"carillon\":{\"activityId\":\"m\"}}") { aps in
                    aps.member("input-push-channel", "AAAA")
                }))
        book.deliver(PhonePush(phone: phone.number, target: .start, content: content), at: now)
        let serial = try #require(book.subscribers["AAAA"]?[phone.number])
        #expect(book.phones[0].activities.first?.token == nil)
        book.deliver(try update(3, at: 2, event: "end", serial: serial, of: phone), at: now)
        #expect(book.subscribers.isEmpty && book.phones[0].activities.first?.state == .ended)
    }

    @Test func countsAreTakenTogether() {
        var counts = PushCounts()
        for milliseconds in [0, 1, 999, 1_000, 1_999, 5_000] as [Int64] {
            counts.countArrival(at: Timestamp(milliseconds: milliseconds))
        }
        #expect(counts.worstSecond == 3 && counts[.received] == 6)
        var sum = PushCounts()
        sum.add(counts)
        sum.add(counts)
        #expect(sum.worstSecond == 3 && sum[.received] == 12)
        counts.count(.alerts)
        sum.keepMaxima(with: counts)
        #expect(sum[.alerts] == 1 && sum[.received] == 12)
    }

    private func book() -> PhoneBook { PhoneBook(random: SeededRandomSource(seed: 5)) }

    private func start(_ id: String, at timestamp: Int, in book: inout PhoneBook, of phone: Phone) throws {
        let content = LiveActivityPush(try JSON(LiveActivityPayload.start(at: timestamp, activity: id)))
        book.deliver(PhonePush(phone: phone.number, target: .start, content: content), at: now)
    }

    private func update(
        _ score: Int, at timestamp: Int, event: String = "update", serial: UInt32, of phone: Phone
    ) throws -> PhonePush {
        let content = LiveActivityPush(try JSON(LiveActivityPayload.update(score, at: timestamp, event: event)))
        return PhonePush(phone: phone.number, target: .activity(serial), content: content)
    }
}
