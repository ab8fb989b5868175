import PushModel
import RedisClient
import RedisStore
import ServiceKit
import Store
import TestSupport
import Testing

/// The layout of receipts in Redis, which decides the memory that a month of them takes.
@Suite(.timeLimit(.minutes(5))) struct TaskReceiptLayoutTests {
    private static let shardCount: UInt64 = 16

    /// Goal: a receipt takes at most twenty bytes, in a broadcast and in many small tasks, with everything that
    /// expires. Method: a shard as full as with a million receipts a day of one broadcast, or with sixteen million a
    /// day of tasks for a hundred devices.
    @Test(arguments: [(tasks: 1, devices: 400_000), (tasks: 5_000, devices: 100)])
    func aReceiptTakesAtMostTwentyBytes(_ load: (tasks: Int, devices: Int)) async throws {
        let fixture = try await RegistryFixture()
        let receipts = RedisTaskReceipts(StoreConnection(fixture.redis))
        let day = ReceiptProof.day(of: SystemTimeSource().now)
        let before = try await memory(fixture)
        for number in 0..<load.tasks {
            let task = TaskID(high: 1, low: UInt64(number) * Self.shardCount)
            for part in (0..<load.devices).chunks(of: 500) {
                let marks = part.map { number in
                    ReceiptMark(.opened, of: DeviceID(index: DeviceIndex(rawValue: UInt32(number)), tag: 7), on: .ios)
                }
                let places = [StatisticsPlace(.dialect, value: "native"), StatisticsPlace(.topic, value: "news")]
                _ = try await receipts.count(
                    marks, of: ReceiptTask(task, of: try AppID("news"), day: day, places: places))
            }
            guard number == 0 else { continue }
            let counts = try await receipts.counts(of: task, days: day...day)
            #expect(counts[.opened] == load.devices)
        }
        let bytes = Double(try await memory(fixture) - before) / Double(load.tasks * load.devices)
        #expect((8...20).contains(bytes), "\(bytes) bytes for each receipt")
        #expect(try await fixture.command("DBSIZE").integer ?? 0 <= 4_096 + 2 * 1_024 + 3)
        let key = try #require(try await fixture.command("RANDOMKEY").string)
        let encoding = try await fixture.command("OBJECT", "ENCODING", key).string
        #expect(encoding == "intset" || encoding == "listpack")
        let left = try #require(try await fixture.command("PTTL", key).integer)
        #expect((31 * 86_400_000...32 * 86_400_000).contains(left))
    }

    @Test func aFullServerSaysSo() async throws {
        let fixture = try await RegistryFixture()
        let receipts = RedisTaskReceipts(StoreConnection(fixture.redis))
        let day = ReceiptProof.day(of: SystemTimeSource().now)
        func count(_ number: UInt32) async throws -> ReceiptCounts {
            let device = DeviceID(index: DeviceIndex(rawValue: number), tag: 7)
            let task = ReceiptTask(TaskID(high: 1, low: 1), of: try AppID("news"), day: day, places: [])
            return try await receipts.count([ReceiptMark(.opened, of: device, on: .ios)], of: task)
        }
        // Once with room, so that the server has the script.
        #expect(try await count(1).total == 1)
        _ = try await fixture.command("CONFIG", "SET", "maxmemory", "1")
        do {
            _ = try await count(2)
            Issue.record("the receipt was counted")
        } catch {
            #expect((error as? StoreError)?.code == .full, "\(error)")
        }
        _ = try await fixture.command("CONFIG", "SET", "maxmemory", "0")
        #expect(try await count(2).total == 1)
    }

    private func memory(_ fixture: RegistryFixture) async throws -> Int {
        let lines = try #require(try await fixture.command("INFO", "memory").string).split(whereSeparator: \.isNewline)
        let line = try #require(lines.first { $0.hasPrefix("used_memory:") })
        return try #require(Int(line.dropFirst("used_memory:".count)))
    }
}
