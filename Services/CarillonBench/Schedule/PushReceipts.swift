import CommandKit
import JSONKit
import ServiceKit

/// Collects when the simulator received the pushes of a provider, which it keeps for a while. A poll must come before
/// the simulator has forgotten what is new since the one before.
struct PushReceipts {
    struct Receipt {
        let received: Timestamp
        /// The text of the push as the provider received it.
        let text: String
    }

    private static let keptMaximum = 1_000

    private let url: String
    private let http: LocalHTTP
    private var newest: String?
    private(set) var all: [Receipt] = []

    /// Pushes that were received before are left out.
    init(of provider: String, harness: LocalHarness, http: LocalHTTP) async throws {
        url = "\(harness.simulator)/pushes/\(provider)?limit=\(PushReceipts.keptMaximum)"
        self.http = http
        newest = try await http.get(url).elements?.first?.compactText
    }

    /// Milliseconds from these moments to the receipts of the pushes of their tasks, which arrive about in this order.
    func latencies(since moments: [(task: String, moment: Timestamp)]) throws -> [Double] {
        var open = moments
        return try all.map { receipt in
            guard let place = open.firstIndex(where: { receipt.text.contains($0.task) }) else {
                throw BenchError("a push of another task arrived, or one twice")
            }
            return Double((receipt.received - open.remove(at: place).moment).wholeMilliseconds)
        }
    }

    mutating func poll() async throws {
        let pushes = try await http.get(url).elements ?? []
        var new: [Receipt] = []
        var hasGap = pushes.count == PushReceipts.keptMaximum
        for push in pushes {
            let text = push.compactText
            if text == newest {
                hasGap = false
                break
            }
            guard let received = push["received"]?.text.flatMap({ Timestamp(rfc3339: $0) }) else {
                throw BenchError("the simulator does not say when it received a push")
            }
            new.append(Receipt(received: received, text: text))
        }
        guard !hasGap else { throw BenchError("the simulator received more pushes than it keeps") }
        if let first = pushes.first { newest = first.compactText }
        all += new.reversed()
    }
}
