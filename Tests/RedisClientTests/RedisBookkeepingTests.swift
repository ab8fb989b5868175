import Testing

@testable import RedisClient

/// Tests of the structs that track sent commands, waiting commands and deadlines.
@Suite struct RedisBookkeepingTests {
    private func pending(_ text: String, deadline: Duration = .seconds(1)) -> RedisPending {
        RedisPending(command: RedisCommand(RedisArgument(text)), submitted: .zero, deadline: deadline) { _ in }
    }

    private func names(_ list: [RedisPending]) -> [String] {
        list.map {
            String(decoding: $0.command.encoded, as: UTF8.self).split(separator: "\r\n").last.map { String($0) } ?? ""
        }
    }

    @Test func onlyAWakingThreadIsNotWoken() {
        var outbox = RedisOutbox(costMaximum: 10_000)
        #expect(outbox.admit([pending("a")]) == .accepted)
        #expect(names(outbox.takeAll()) == ["a"])
        outbox.sleep()
        #expect(outbox.admit([pending("b")]) == .acceptedWaking)
        #expect(outbox.admit([pending("c")]) == .accepted)
        let wakes = outbox.close()
        #expect(!wakes)
        #expect(outbox.admit([pending("d")]) == .closed)
    }

    /// A taken command counts until it is answered.
    @Test func theBoundCountsUntilTheAnswer() {
        let cost = pending("a").cost
        var outbox = RedisOutbox(costMaximum: cost * 2)
        #expect(outbox.admit([pending("a"), pending("b")]) == .accepted)
        _ = outbox.takeAll()
        #expect(outbox.admit([pending("c")]) == .full)
        outbox.settle(cost: cost)
        #expect(outbox.admit([pending("c")]) == .accepted)
        #expect(outbox.outstandingCost == cost * 2)
    }

    @Test func anOversizedPipelineIsAdmittedAlone() {
        var outbox = RedisOutbox(costMaximum: 10)
        #expect(outbox.admit([pending("a"), pending("b")]) == .accepted)
        #expect(outbox.admit([pending("c")]) == .full)
    }

    @Test func overdueCommandsLeaveTheOthersInOrder() {
        var outbox = RedisOutbox(costMaximum: 10_000)
        _ = outbox.admit([pending("a", deadline: .seconds(9)), pending("b"), pending("c", deadline: .seconds(9))])
        let early = outbox.takeOverdue(now: .milliseconds(999))
        #expect(early.isEmpty)
        #expect(names(outbox.takeOverdue(now: .seconds(1))) == ["b"])
        #expect(outbox.earliestDeadline == .seconds(9))
        outbox.putBack([pending("z")])
        #expect(names(outbox.takeAll()) == ["z", "a", "c"])
    }

    /// A command whose last byte was not sent cannot have been executed.
    @Test func onlyWholeCommandsCountAsSent() {
        var flight = RedisInFlight()
        for name in ["a", "b", "c"] { flight.append(pending(name)) }
        let size = pending("a").command.encoded.count
        flight.wrote(size)
        #expect(flight.popAnswered().map { names([$0]) } == ["a"])
        flight.wrote(size - 1)
        flight.append(pending("d"))
        flight.wrote(1)
        flight.wrote(size - 1)
        let (sent, unsent) = flight.takeAll()
        #expect(names(sent) == ["b"])
        #expect(names(unsent) == ["c", "d"])
    }

    @Test func aDeadlineInFlightIsSeenWhenItComes() {
        var flight = RedisInFlight()
        flight.append(pending("a", deadline: .seconds(1)))
        flight.append(pending("b", deadline: .seconds(2)))
        let seen = [Duration.milliseconds(999), .seconds(1)].map { flight.checkOverdue(now: $0) }
        #expect(seen == [false, true])
        _ = flight.popAnswered()
        let seenBehindIt = flight.checkOverdue(now: .seconds(1))
        #expect(!seenBehindIt)
        #expect(flight.earliestDeadline == .seconds(2))
    }
}
