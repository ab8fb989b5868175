import MemoryStore
import PushModel
import ServiceKit
import Store

struct SimulatedUserMoments: UserMoments {
    let base: any UserMoments
    let seam: Seam

    func enter(_ task: TaskID, until end: Timestamp, of user: UserKey) async throws(StoreError) -> Timestamp? {
        try await seam.call("moments.enter") { try await base.enter(task, until: end, of: user) }
    }

    func leave(_ tasks: [TaskID], of user: UserKey) async throws(StoreError) {
        try await seam.call("moments.leave") { try await base.leave(tasks, of: user) }
    }

    func begin(until end: Timestamp, of user: UserKey) async throws(StoreError) -> [TaskID] {
        let tasks = try await seam.call("moments.begin") { try await base.begin(until: end, of: user) }
        if seam.world.bug == .momentReleasesNothing {
            try await base.leave(tasks, of: user)
            for task in tasks { seam.world.archive.withdraw(task) }
        }
        return tasks
    }

    func end(of user: UserKey) async throws(StoreError) {
        try await seam.call("moments.end") { try await base.end(of: user) }
    }
}
