import CommandKit
import PushModel
import ServiceKit
import Signing

/// Posts receipts of ever new devices of one task over one connection.
struct ReceiptLoad: Sendable {
    private static let receiptsPerRequest: UInt32 = 500

    let task: TaskID
    let day: UInt16
    private let prover: ReceiptProver
    private let harness: LocalHarness
    private let port: UInt16

    init(_ harness: LocalHarness, task: TaskID) throws {
        self.task = task
        day = ReceiptProof.day(of: SystemTimeSource().now)
        prover = ReceiptProver(try harness.receiptKey().taskKey(of: task))
        self.harness = harness
        port = try harness.port()
    }

    /// Returns the number of receipts that were answered.
    func run(for duration: Duration) async throws -> Int {
        let result = await onNativeThread("receipts") {
            Result {
                let connection = try LoadConnection(port: port)
                let end = SystemTimeSource().uptime + duration
                var next: UInt32 = 0
                while SystemTimeSource().uptime < end {
                    try connection.post(request(from: next))
                    next += ReceiptLoad.receiptsPerRequest
                }
                return Int(next)
            }
        }
        return try result.get()
    }

    private func request(from first: UInt32) -> [UInt8] {
        let receipts = (first..<first + ReceiptLoad.receiptsPerRequest).map { number in
            let device = DeviceID(index: DeviceIndex(rawValue: number), tag: 1)
            let proof = prover.proof(of: device, on: .ios, day: day)
            return #"{"task":"\#(task)","device":"\#(device)","proof":"\#(proof)","kind":"opened"}"#
        }
        return harness.post("/v1/receipts", body: #"{"receipts":[\#(receipts.joined(separator: ","))]}"#)
    }
}
