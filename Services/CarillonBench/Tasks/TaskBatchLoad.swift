import ServiceKit

/// Posts requests with many tasks, as fast as they are answered.
struct TaskBatchLoad: Sendable {
    struct Reading: Sendable {
        let duration: Duration
        /// Of each request.
        let milliseconds: [Double]
    }

    private static let allAccepted = Array(#"{"accepted":\#(TasksBench.tasksPerRequest),"refused":0,"#.utf8)
    private static let excerptBytes = 500

    private let port: UInt16
    /// One task for each user in all of them together.
    private let requests: [[UInt8]]

    init(_ harness: LocalHarness, users: Int) throws {
        port = try harness.port()
        requests = (0..<(users / TasksBench.tasksPerRequest)).map { number in
            let tasks = (0..<TasksBench.tasksPerRequest).map { place in
                let user = SyntheticDevice.user(number * TasksBench.tasksPerRequest + place)
                return #"{"users":["\#(user)"],"message":{"title":"Hello","body":"World"}}"#
            }
            return harness.post("/v1/tasks/batch", body: #"{"tasks":[\#(tasks.joined(separator: ","))]}"#)
        }
    }

    func post(for duration: Duration) async throws -> Reading {
        let start = SystemTimeSource().uptime
        let lanes = try await withThrowingTaskGroup(of: [Double].self) { group in
            for lane in 0..<TasksBench.connections {
                group.addTask {
                    let ending = await onNativeThread("batches") {
                        Result { try post(from: lane, until: start + duration) }
                    }
                    return try ending.get()
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        return Reading(duration: SystemTimeSource().uptime - start, milliseconds: lanes)
    }

    private func post(from lane: Int, until end: Duration) throws -> [Double] {
        let connection = try LoadConnection(port: port)
        var milliseconds: [Double] = []
        var number = lane
        var begun = SystemTimeSource().uptime
        while begun < end {
            let answer = try connection.exchange(requests[number % requests.count])
            guard answer.starts(with: TaskBatchLoad.allAccepted) else {
                throw BenchError(
                    "tasks were refused: \(OutsideText.replacing(answer.prefix(TaskBatchLoad.excerptBytes)))")
            }
            let now = SystemTimeSource().uptime
            milliseconds.append((now - begun).inSeconds * 1_000)
            begun = now
            number += TasksBench.connections
        }
        return milliseconds
    }
}
