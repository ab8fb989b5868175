import CommandKit
import Glibc
import ServiceKit

/// Posts tasks for one user each, over as many connections as publishers would use at once.
struct SingleLoad: Sendable {
    static let connections = 32

    private let harness: LocalHarness
    private let port: UInt16
    /// Their names are those of `SyntheticDevice`.
    private let users: Int

    init(_ harness: LocalHarness, users: Int) throws {
        self.harness = harness
        self.users = users
        port = try harness.port()
    }

    /// Returns when all are answered. With a pause, each is posted so long after the one before, however late the
    /// answers come; without, as soon as an earlier one on its connection is answered.
    func post(_ count: Int, pause: Duration = .zero) async throws {
        let start = SystemTimeSource().uptime
        try await withThrowingTaskGroup(of: Void.self) { group in
            for lane in 0..<SingleLoad.connections {
                group.addTask {
                    let ending = await onNativeThread("single pushes") {
                        Result { try post(of: lane, count: count, pause: pause, start: start) }
                    }
                    try ending.get()
                }
            }
            try await group.waitForAll()
        }
    }

    private func post(of lane: Int, count: Int, pause: Duration, start: Duration) throws {
        let connection = try LoadConnection(port: port)
        for number in stride(from: lane, to: count, by: SingleLoad.connections) {
            let wait = start + pause * number - SystemTimeSource().uptime
            if pause > .zero, wait > .zero { usleep(UInt32(wait / .microseconds(1))) }
            let user = SyntheticDevice.user(number % users)
            try connection.post(
                harness.post("/v1/tasks", body: #"{"users":["\#(user)"],"message":{"title":"Hello","body":"World"}}"#))
        }
    }
}
