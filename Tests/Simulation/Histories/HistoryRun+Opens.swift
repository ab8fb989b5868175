import JSONKit
import MemoryStore
import PushModel
import ServiceKit
import Store

extension HistoryRun {
    /// As many as a request may have.
    private static let receiptsMaximum = 500

    /// What devices got so far of tasks that the publisher knows, in one request that is repeated until it is answered.
    /// A device that came back has forgotten its old id.
    func openPushes() async {
        let tasks = Dictionary(record.tasks.map { ($0.key.high, $0.key) }) { first, _ in first }
        let moved = record.movedDevices
        var opens: [TaskID: Set<Int>] = [:]
        var receipts: [JSON] = []
        for push in world.provider.accepted where receipts.count < HistoryRun.receiptsMaximum {
            guard let task = tasks[push.id.high], let proof = push.proof,
                let device = population.number(of: push.token), !moved.contains(device),
                opens[task, default: []].insert(device).inserted
            else { continue }
            receipts.append(
                .object(
                    JSONObject([
                        ("task", .string("\(task)")), ("device", .string("\(population.id(device))")),
                        ("proof", .string("\(proof)")), ("kind", .string("opened")),
                    ])))
        }
        guard !receipts.isEmpty else { return }
        let (reported, all) = (opens, receipts)
        record.reportOpens(reported)
        await ask { publisher in
            try await publisher.report(all)
            return { $0.acceptOpens(reported) }
        }
    }

    /// Of all tasks; the clock of a process may show the day before.
    func openCounts() -> [TaskID: Int] {
        let first = ReceiptProof.day(of: ProcessClock.start)
        return Dictionary(
            uniqueKeysWithValues: record.tasks.map { task, _ in
                (task, world.receipts.counts(of: task, days: (first - 1)...(first + 7))[.opened])
            })
    }
}
