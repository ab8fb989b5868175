import Bus
import Testing
import Topics

@testable import KafkaBus

struct DeliveryTableTests {
    private let channel = testChannel()

    private func messages(_ count: Int) -> [OutgoingMessage] {
        (0..<count).map { channel.message("\($0)") }
    }

    private func open(_ count: Int, in table: inout DeliveryTable) -> Int {
        table.open(messages(count), tally: ProducedTally(messages(count)))
    }

    /// The position reported for message `index` of a send.
    private func landing(_ index: Int) -> DeliveryTable.Landing {
        .init(index: index, position: MessagePosition(partition: 3, offset: Int64(100 + index)))
    }

    private func failure(_ outcome: DeliveryTable.Outcome) -> BusError? {
        if case .failure(let error) = outcome { error } else { nil }
    }

    /// Reports a whole batch while a task waits for it, and returns the outcome that the task gets.
    private func outcome(_ failures: [BusError?]) async -> DeliveryTable.Outcome {
        await withCheckedContinuation { waiter in
            var table = DeliveryTable()
            let place = open(failures.count, in: &table)
            table.handOver(place, upTo: failures.count)
            #expect(table.settleOrWait(place, waiter: waiter, until: .seconds(30)) == nil)
            for (index, failure) in failures.enumerated() {
                let finished =
                    failure.map { table.report(place, indices: [index], failure: $0) }
                    ?? table.report(place, landings: [landing(index)])
                #expect((finished == nil) == (index < failures.count - 1))
                finished?.resume()
            }
            #expect(table.isEmpty)
        }
    }

    @Test func aSendEndsWithItsLastReportAndFailsWithItsFirstFailure() async {
        #expect(failure(await outcome([nil, nil, nil])) == nil)
        let first = BusError(.unavailable, message: "first")
        #expect(failure(await outcome([nil, first, BusError(.refused, message: "second")]))?.message == "first")
    }

    @Test func aSendReturnsThePositionOfEachMessageInAnyOrderOfReports() async throws {
        let outcome: DeliveryTable.Outcome = await withCheckedContinuation { waiter in
            var table = DeliveryTable()
            let place = open(3, in: &table)
            table.handOver(place, upTo: 3)
            _ = table.settleOrWait(place, waiter: waiter, until: .seconds(30))
            _ = table.report(place, landings: [landing(2)])
            table.report(place, landings: [landing(0), landing(1)])?.resume()
        }
        #expect(try outcome.get().map(\.offset) == [100, 101, 102])
        #expect(try outcome.get().allSatisfy { $0.partition == 3 })
    }

    @Test func aReportMayArriveBeforeTheHandOverIsRecorded() async {
        let outcome: DeliveryTable.Outcome = await withCheckedContinuation { waiter in
            var table = DeliveryTable()
            let place = open(1, in: &table)
            #expect(table.report(place, landings: [landing(0)]) == nil)
            table.handOver(place, upTo: 1)
            table.settleOrWait(place, waiter: waiter, until: .seconds(30))?.resume()
            #expect(table.isEmpty)
        }
        #expect(failure(outcome) == nil)
    }

    @Test func countsAReportOnceAndTheSendWithItsLastReport() {
        var table = DeliveryTable()
        let place = open(2, in: &table)
        table.handOver(place, upTo: 2)
        table.abandon(place)
        for _ in 0..<2 { _ = table.report(place, landings: [landing(0)]) }
        #expect(table.takeDurable().runs.isEmpty)
        #expect(table.unreported().map(\.index) == [1])
        _ = table.report(place, landings: [landing(1)])
        #expect(table.takeDurable().runs == [.init(channel: channel.name, messages: 2, bytes: 2)])
    }

    @Test func theSlotOfAnAbandonedSendIsReusedAfterItsLastReport() {
        var table = DeliveryTable()
        let place = open(3, in: &table)
        table.handOver(place, upTo: 1)
        table.abandon(place)
        #expect(table.count == 1)
        _ = table.report(place, landings: [landing(0)])
        #expect(table.isEmpty)
        let next = open(1, in: &table)
        #expect(next == place)
    }

    @Test func aSendFailsWhenItsPatienceEndsAndItsMessagesStillCount() async {
        var table = DeliveryTable()
        let place = open(2, in: &table)
        table.handOver(place, upTo: 2)
        let outcome: DeliveryTable.Outcome = await withCheckedContinuation { waiter in
            #expect(table.settleOrWait(place, waiter: waiter, until: .seconds(5)) == nil)
            let late = BusError(.unavailable, message: "late")
            #expect(table.endPatience(at: .seconds(4), late).isEmpty)
            for one in table.endPatience(at: .seconds(5), late) { one.resume() }
            #expect(table.endPatience(at: .seconds(9), late).isEmpty)
        }
        #expect(failure(outcome)?.message == "late")
        #expect(table.unreported().count == 2)
        #expect(table.report(place, landings: [landing(0), landing(1)]) == nil)
        #expect(table.takeDurable().runs.map(\.messages) == [2])
        #expect(table.isEmpty)
        let next = open(1, in: &table)
        #expect(next == place)
    }

    @Test func listsUnreportedMessagesInTheOrderOfTheSends() {
        var table = DeliveryTable()
        let first = open(1, in: &table)
        let second = open(3, in: &table)
        table.handOver(first, upTo: 1)
        table.handOver(second, upTo: 2)
        table.abandon(first)
        _ = table.report(first, landings: [landing(0)])
        let third = open(1, in: &table)
        table.handOver(third, upTo: 1)
        #expect(third == first)
        #expect(table.unreported().map(\.place) == [second, second, third])
        #expect(table.unreported().map(\.index) == [0, 1, 0])
    }

    @Test func aSendThatWasLostTooOftenFails() async {
        let outcome: DeliveryTable.Outcome = await withCheckedContinuation { waiter in
            var table = DeliveryTable()
            let place = open(2, in: &table)
            table.handOver(place, upTo: 2)
            #expect(table.settleOrWait(place, waiter: waiter, until: .seconds(30)) == nil)
            let lost = BusError(.unavailable, message: "lost")
            #expect(table.countReplay(maximum: 1, failure: lost).isEmpty)
            for one in table.countReplay(maximum: 1, failure: lost) { one.resume() }
        }
        #expect(failure(outcome)?.message == "lost")
    }

    @Test(arguments: [
        (0, 0), (1, 2), (70_000, 99_999), (Int(UInt32.max), Int(UInt32.max)),
    ])
    func aMessageNumberSurvivesItsEncodingAsAWord(place: Int, index: Int) {
        #expect(MessageNumber(bits: MessageNumber(place, index: index).bits) == MessageNumber(place, index: index))
    }
}
