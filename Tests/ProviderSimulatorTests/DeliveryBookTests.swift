import HTTP2
import JSONKit
import ServiceKit
import Testing

@testable import ProviderSimulator

@Suite struct DeliveryBookTests {
    @Test func countsDevicesTasksAndRepeats() throws {
        var book = DeliveryBook(DeliveryBook.Limits())
        for (device, mark) in [("a", "1"), ("a", "1"), ("a", "2"), ("b", "1")] {
            book.count(Delivery(device: device, mark: mark, task: "t"))
        }
        book.count(Delivery(device: "b", mark: nil, task: nil))
        book.countRefusal("BadTopic", times: 3)
        let json = try JSON(book.json)
        #expect(json["accepted"] == .integer(5))
        #expect(json["repeated"] == .integer(1))
        #expect(json["distinct_devices"] == .integer(2))
        #expect(json["most_for_one_device"] == .integer(3))
        #expect(json["tasks"]?["t"] == .integer(4))
        #expect(json["refused_by_reason"]?["BadTopic"] == .integer(3))
        #expect(book.devices["a"] == 3 && book.devices["c"] == 0)
        book.reset()
        #expect(try JSON(book.json)["accepted"] == .integer(0))
    }

    @Test func everyTableHasABound() throws {
        var book = DeliveryBook(DeliveryBook.Limits(devices: 10, marks: 10, tasks: 10, keptPushes: 10))
        for number in 0..<5_000 {
            book.countRequest(on: number + 1)
            book.count(Delivery(device: "d\(number)", mark: "m", task: "t\(number)"))
            book.countRefusal("reason \(number)")
            book.keep(push(number))
        }
        #expect(book.devices.names == 10 && book.devices.untracked == 4_990)
        #expect(book.tasks.count == 10)
        #expect(book.refusals.count == 201 && book.refusals["other"] == 4_800)
        #expect(book.connections.total == 5_000)
        #expect(book.connections.requests.count == ConnectionCounts.connectionsMaximum)
        #expect(book.kept.last(100).map(\.connection) == Array((4_990..<5_000).reversed()))
    }

    @Test func largePushesCrowdEachOtherOut() {
        var kept = KeptPushes(countMaximum: 1_000)
        for number in 0..<200 {
            kept.append(
                KeptPush(
                    path: "", headers: HTTP2Headers(), body: Array(repeating: 0, count: 1 << 20), connection: number,
                    received: Timestamp(milliseconds: 0)))
        }
        #expect(kept.last(1_000).map(\.connection) == Array((168..<200).reversed()))
    }

    @Test func aSetRemembersAtLeastItsMaximum() {
        var set = RecentSet(countMaximum: 100)
        let firsts = (0..<1_000).count { set.insert($0) }
        #expect(firsts == 1_000)
        let repeated = (900..<1_000).count { !set.insert($0) }
        #expect(repeated == 100)
        let forgotten = set.insert(0)
        #expect(forgotten)
    }

    @Test func aKeptPushHidesItsCredentials() throws {
        let json = try JSON(push(1).json)
        #expect(json["headers"]?["authorization"] == nil)
        #expect(json["headers"]?["apns-topic"]?.text == "t")
        #expect(json["body"]?["n"] == .integer(1))
    }

    private func push(_ number: Int) -> KeptPush {
        KeptPush(
            path: "/3/device/\(number)", headers: ["authorization": "bearer x", "apns-topic": "t"],
            body: Array("{\"n\":\(number)}".utf8), connection: number, received: Timestamp(milliseconds: 0))
    }
}
