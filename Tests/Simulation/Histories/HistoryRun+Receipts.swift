import JSONKit
import MemoryStore
import PushModel
import ServiceKit
import Store

extension HistoryRun {
    /// As many as a request may have.
    private static let receiptsMaximum = 500

    /// About what devices got so far of tasks that the publisher knows, in one request that is repeated until it is
    /// answered. A device that came back has forgotten its old id.
    func reportPushes(as kind: ReceiptKind) async {
        let tasks = Dictionary(record.tasks.map { ($0.key.high, $0.key) }) { first, _ in first }
        let moved = record.movedDevices
        var reported: [TaskID: Set<Int>] = [:]
        var receipts: [JSON] = []
        for push in world.provider.accepted where receipts.count < HistoryRun.receiptsMaximum {
            guard let task = tasks[push.id.high], let proof = push.proof,
                let device = population.number(of: push.token), !moved.contains(device),
                reported[task, default: []].insert(device).inserted
            else { continue }
            receipts.append(receipt(kind, of: task, proof: proof, from: device))
        }
        guard !receipts.isEmpty else { return }
        record.report(reported, as: kind)
        let (all, devices) = (receipts, reported)
        await ask { publisher in
            try await publisher.report(all)
            return { $0.acceptReceipts(of: devices, as: kind) }
        }
    }

    private func receipt(_ kind: ReceiptKind, of task: TaskID, proof: ReceiptProof, from device: Int) -> JSON {
        var json = JSONObject([
            ("task", .string("\(task)")), ("device", .string("\(population.id(device))")),
            ("proof", .string("\(proof)")), ("kind", .string(kind.name)),
        ])
        if kind == .action { json["action"] = .string("reply") }
        return .object(json)
    }

    /// Of all tasks; the clock of a process may show the day before.
    func receiptCounts() -> [TaskID: [ReceiptKind: Int]] {
        let first = ReceiptProof.day(of: ProcessClock.start)
        return Dictionary(
            uniqueKeysWithValues: record.tasks.map { task, _ in
                let counts = world.receipts.counts(of: task, days: (first - 1)...(first + 7))
                return (task, Dictionary(uniqueKeysWithValues: ReceiptKind.allCases.map { ($0, counts[$0]) }))
            })
    }
}
