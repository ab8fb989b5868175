import PushModel
import ServiceKit
import Store
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct TransferTests {
    private func transfer(
        _ id: UInt64, client: Int64? = 5, group: Int64 = 1, mark: UInt8 = 0, at time: ManualTimeSource
    ) -> Transfer {
        Transfer(
            id: id, group: group, clientID: client, tag: "spring é", created: time.now,
            fingerprint: [UInt8](repeating: mark, count: TransferBounds.fingerprintBytes))
    }

    @Test(arguments: StoreKind.allCases)
    func aTransferIsReservedOnce(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let app = fixture.app
            let first = transfer(10, at: fixture.time)
            #expect(try await registry.transfer(10, in: app) == nil)
            #expect(try await registry.transfer(clientID: 5, group: 1, in: app) == nil)
            let reserved = try await registry.reserve(first, in: app)
            #expect(reserved == first)
            #expect(try await registry.reserve(transfer(11, mark: 9, at: fixture.time), in: app) == first)
            #expect(try await registry.transfer(11, in: app) == nil)
            for other in [transfer(12, group: 2, at: fixture.time), transfer(13, client: -5, at: fixture.time)] {
                #expect(try await registry.reserve(other, in: app) == other)
                #expect(
                    try await registry.transfer(clientID: other.clientID ?? 0, group: other.group, in: app) == other)
            }
            for id: UInt64 in [20, 21] {
                let unnamed = transfer(id, client: nil, at: fixture.time)
                #expect(try await registry.reserve(unnamed, in: app) == unnamed)
                #expect(try await registry.transfer(id, in: app) == unnamed)
                let again = transfer(id, client: nil, mark: 9, at: fixture.time)
                #expect(try await registry.reserve(again, in: app) == unnamed)
            }
            #expect(try await registry.transfer(10, in: app) == first)
            #expect(try await registry.transfer(clientID: 5, group: 1, in: app) == first)
            #expect(try await registry.transfer(10, in: AppID("another")) == nil)
            #expect(try await registry.transfer(clientID: 5, group: 1, in: AppID("another")) == nil)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func anUpdateReplaces(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let app = fixture.app
            var changed = try await registry.reserve(transfer(10, at: fixture.time), in: app)
            changed.tasks = (1...TransferBounds.tasksMaximum).map { TaskID(high: UInt64($0), low: .max) }
            changed.errors = ["one", "", "drei é"]
            changed.isAccepted = true
            try await registry.update(changed, in: app)
            #expect(try await registry.transfer(10, in: app) == changed)
            #expect(try await registry.transfer(clientID: 5, group: 1, in: app) == changed)
            #expect(try await registry.reserve(transfer(11, at: fixture.time), in: app) == changed)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func oneOfManyReservationsWins(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let (app, clients) = (fixture.app, [registry, try await fixture.client()])
            for round in 1...5 {
                let found = try await Array(1...20).concurrentMap(atOnce: 20) { number in
                    let transfer = transfer(UInt64(100 * round + number), client: Int64(round), at: fixture.time)
                    return try await clients[number % 2].reserve(transfer, in: app)
                }
                #expect(Set(found).count == 1)
                #expect(try await registry.transfer(clientID: Int64(round), group: 1, in: app) == found.first)
            }
        }
    }

    /// Goal: with the log, a repeat gets the transfer of a request whose record is not in the log yet, even if the
    /// record comes after the repeat has finished the transfer: neither the store nor the log may then go back.
    @Test(arguments: StoreKind.unwrapped)
    func aRepeatOvertakes(kind: StoreKind) async throws {
        try await kind.withRegistry(.own) { registry, fixture in
            let app = fixture.app
            let log = TestLog(projection: registry)
            let journal = HeldJournal(log)
            let slow = try await fixture.client(journal: journal)
            let fast = try await fixture.client(journal: log)
            let first = transfer(10, at: fixture.time)
            async let late = slow.reserve(first, in: app)
            await journal.arrived()
            #expect(try await registry.transfer(clientID: 5, group: 1, in: app) == nil)
            var changed = try await fast.reserve(transfer(11, at: fixture.time), in: app)
            #expect(changed == first)
            changed.isAccepted = true
            try await fast.update(changed, in: app)
            journal.letGo()
            #expect(try await late == changed)
            #expect(try await registry.transfer(10, in: app) == changed)

            let refill = try await registry.beginRebuild()
            try await refill.apply(log.compacted)
            try await refill.finish()
            #expect(try await registry.transfer(10, in: app) == changed)
            #expect(try await registry.transfer(clientID: 5, group: 1, in: app) == changed)
            #expect(try await fast.reserve(transfer(12, at: fixture.time), in: app) == changed)
        }
    }

    /// Goal: forgotten transfers are not found, and new ones remove them, also from the log.
    @Test(arguments: StoreKind.unwrapped)
    func aTransferIsForgotten(kind: StoreKind) async throws {
        try await kind.withRegistry(.own) { registry, fixture in
            let app = fixture.app
            let log = TestLog(projection: registry)
            let client = try await fixture.client(journal: log)
            for id: UInt64 in 1...6 {
                _ = try await client.reserve(transfer(id, client: id > 3 ? Int64(id) : nil, at: fixture.time), in: app)
            }
            fixture.time.advance(by: TransferBounds.retention)
            #expect(try await client.transfer(1, in: app) != nil)
            fixture.time.advance(by: .milliseconds(1))
            #expect(try await client.transfer(1, in: app) == nil)
            #expect(try await client.transfer(clientID: 4, group: 1, in: app) == nil)
            let again = transfer(14, client: 4, at: fixture.time)
            #expect(try await client.reserve(again, in: app) == again)
            #expect(try await client.transfer(clientID: 4, group: 1, in: app) == again)
            let other = transfer(15, client: 15, at: fixture.time)
            #expect(try await client.reserve(other, in: app) == other)
            let kept = log.compacted.filter { change in
                if case .transfer(_, .some) = change.change.content { return true }
                return false
            }
            #expect(kept.count == 2, "\(kept)")

            let refill = try await registry.beginRebuild()
            try await refill.apply(log.compacted)
            try await refill.finish()
            #expect(try await registry.transfer(clientID: 4, group: 1, in: app) == again)
            #expect(try await registry.transfer(15, in: app) == other)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aTransferHasBounds(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let good = transfer(10, at: fixture.time)
            var tooManyTasks = good
            tooManyTasks.tasks = (0...TransferBounds.tasksMaximum).map { TaskID(high: 1, low: UInt64($0)) }
            var tooManyErrors = good
            tooManyErrors.errors = [String](repeating: "x", count: TransferBounds.errorsMaximum + 1)
            var longError = good
            longError.errors = [String(repeating: "x", count: TransferBounds.errorBytesMaximum + 1)]
            for bad in [
                tooManyTasks, tooManyErrors, longError, transfer(0, at: fixture.time),
                transfer(1 << 53, at: fixture.time), transfer(1, group: 0, at: fixture.time),
            ] {
                let error = await #expect(throws: StoreError.self) { try await registry.reserve(bad, in: fixture.app) }
                #expect(error?.code == .tooMany)
            }
            let stored = try await registry.transfer(10, in: fixture.app)
            #expect(stored == nil)
        }
    }
}
