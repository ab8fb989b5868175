import JSONKit
import PushModel
import ServiceKit
import Topics

/// The receipts of one request, each accepted or refused.
struct CheckedReceipts {
    private struct Group: Hashable {
        let task: TaskID
        let day: UInt16
    }

    private(set) var proven: [ReceiptCheck.Proven] = []
    private(set) var refused: [(index: Int, refusal: ReceiptCheck.Refusal)] = []

    init(_ elements: JSONElements, check: ReceiptCheck) {
        var check = check
        for (index, element) in elements.enumerated() {
            do throws(ReceiptCheck.Refusal) {
                proven.append(try check.check(element.value))
            } catch {
                refused.append((index, error))
            }
        }
    }

    /// One for each task.
    func batches(of app: AppID, at now: Timestamp) -> [ReceiptBatch] {
        Dictionary(grouping: proven) { Group(task: $0.task, day: $0.day) }.map { group, proven in
            ReceiptBatch(task: group.task, app: app, day: group.day, time: now, receipts: proven.map(\.receipt))
        }
    }

    var text: String {
        let refusals = refused.map { index, refusal in
            JSONText.object { json in
                json.member("index", index)
                json.member("reason", refusal.reason.rawValue)
                json.member("message", refusal.message)
            }
        }
        return JSONText.object { json in
            json.member("accepted", proven.count)
            json.member("refused", json: "[\(refusals.joined(separator: ","))]")
        }
    }
}
