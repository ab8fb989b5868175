import PushModel
import ServiceKit
import Store
import TestSupport
import Testing

/// One suite for every store: the guarantees of the agenda for reporters.
@Suite(.timeLimit(.minutes(5))) struct TaskAgendaTests {
    private static let tasks = (0..<3).map { TaskID(high: 0, low: $0) }

    @Test(arguments: StoreKind.allCases)
    func whatIsDueIsTakenOnceTheEarliestFirst(_ kind: StoreKind) async throws {
        try await kind.withAgenda { (agenda, time) async throws in
            for (task, pause) in zip(Self.tasks, [20, 10, 30]) {
                try await agenda.enter(task, due: time.now + .seconds(pause))
            }
            #expect(try await agenda.take(upTo: 10, for: .seconds(5)) == [])
            time.advance(by: .seconds(20))
            #expect(try await agenda.take(upTo: 1, for: .seconds(5)) == [Self.tasks[1]])
            #expect(try await agenda.take(upTo: 10, for: .seconds(5)) == [Self.tasks[0]])
            #expect(try await agenda.take(upTo: 10, for: .seconds(5)) == [])
            time.advance(by: .seconds(5))
            #expect(Set(try await agenda.take(upTo: 10, for: .seconds(5))) == [Self.tasks[0], Self.tasks[1]])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func enteringAgainChangesNothing(_ kind: StoreKind) async throws {
        try await kind.withAgenda { (agenda, time) async throws in
            try await agenda.enter(Self.tasks[0], due: time.now + .seconds(10))
            try await agenda.enter(Self.tasks[0], due: time.now)
            #expect(try await agenda.take(upTo: 10, for: .seconds(5)) == [])
            #expect(try await agenda.count() == 1)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aTaskIsPostponedUntilItIsFinished(_ kind: StoreKind) async throws {
        try await kind.withAgenda { (agenda, time) async throws in
            try await agenda.enter(Self.tasks[0], due: time.now)
            try await agenda.postpone(Self.tasks[0], until: time.now + .seconds(10))
            #expect(try await agenda.take(upTo: 10, for: .seconds(5)) == [])
            time.advance(by: .seconds(10))
            #expect(try await agenda.take(upTo: 10, for: .seconds(5)) == [Self.tasks[0]])
            try await agenda.finish(Self.tasks[0])
            try await agenda.postpone(Self.tasks[0], until: time.now)
            #expect(try await agenda.count() == 0)
        }
    }
}
