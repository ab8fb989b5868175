import HTTPServer
import ServiceKit
import TestSupport
import Testing

@testable import IngestAPI

/// Large bodies are read in turns, without delaying small ones.
@Suite struct BodyReadingTests {
    private struct RefusedError: Error {}

    private func request(_ bytes: Int) -> HTTPRequest {
        HTTPRequest(
            method: .post, path: "/v1/tasks", query: "", headers: HTTPHeaders(),
            body: HTTPRequestBody([UInt8](repeating: 0, count: bytes)))
    }

    @Test func payersTakeTurns() {
        var queue = FairQueue<String, Int>()
        for number in 1...4 { queue.add(number, of: "many") }
        queue.add(10, of: "one")
        queue.add(20, of: "two")
        queue.add(21, of: "two")
        var order: [Int] = []
        while let work = queue.next() { order.append(work) }
        #expect(order == [1, 10, 20, 2, 21, 3, 4])
        #expect(queue.isEmpty)
        queue.add(5, of: "many")
        #expect(queue.next() == 5)
    }

    /// Waiting for a low-priority read must not raise it to the priority of the waiting task.
    @Test func onlyLargeBodiesAreReadAtLowPriority() async throws {
        let reading = BodyReading()
        let large = request(BodyReading.smallBytesMaximum + 1)
        let small = request(BodyReading.smallBytesMaximum)
        let priorities = try await Task(priority: .high) {
            (
                try await reading.read(large, account: "a") { Task.currentPriority },
                try await reading.read(small, account: "a") { Task.currentPriority }
            )
        }.value
        #expect(priorities.0 == .low)
        #expect(priorities.1 == .high)
    }

    /// Goal: a small body waits for no large one. Method: no large body is finished before the small one is read.
    @Test func aSmallBodyIsReadWhileLargeOnesAre() async throws {
        let reading = BodyReading()
        let isSmallRead = Monitor(false)
        let large = request(1 << 20)
        try await withThrowingTaskGroup(of: Bool.self) { tasks in
            for number in 0..<20 {
                tasks.addTask {
                    try await reading.read(large, account: "\(number % 3)") {
                        isSmallRead.wait(timeout: .hangLimit) { $0 ? true : nil } ?? false
                    }
                }
            }
            #expect(try await reading.read(request(100), account: "0") { true })
            isSmallRead.change { $0 = true }
            var ends = 0
            for try await sawSmall in tasks where sawSmall { ends += 1 }
            #expect(ends == 20)
        }
    }

    @Test func aRefusalIsHandedOn() async {
        let large = request(1 << 20)
        await #expect(throws: RefusedError.self) {
            try await BodyReading().read(large, account: nil) { throw RefusedError() }
        }
    }
}
