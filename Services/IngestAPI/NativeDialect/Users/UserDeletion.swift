import Apps
import PushModel
import ServiceKit
import Store
import TaskKit
import TaskModel

/// Deletes a user: its devices with their last tasks, the scheduled tasks for it alone, and what its opens taught. Every
/// step may be repeated, so a repeated request completes an interrupted one.
struct UserDeletion: Sendable {
    /// A registration in progress may enter a device after the devices were listed, so they are listed again until
    /// none is left. A client that registers without end must not hold the request.
    static let roundsMaximum = 4
    /// Scheduled tasks of the app that are read in a round.
    static let tasksMaximum = 10_000
    private static let pageMaximum = 100

    private let registry: any Registry
    private let classes: DeviceClasses
    private let activities: ActivityTokens
    private let archive: any TaskArchive
    private let ledger: any Ledger
    private let deviceTasks: any DeviceTasks
    private let moments: any UserMoments
    private let opens: any UserOpens
    private let cancellation: TaskCancellation
    private let log: Log

    init(
        registry: any Registry, classes: DeviceClasses, activities: ActivityTokens, tasks: TaskAccess,
        cancellation: TaskCancellation, log: Log
    ) {
        self.registry = registry
        self.classes = classes
        self.activities = activities
        archive = tasks.archive
        ledger = tasks.ledger
        deviceTasks = tasks.deviceTasks
        moments = tasks.moments
        opens = tasks.opens
        self.cancellation = cancellation
        self.log = log
    }

    /// The tasks precede the devices: afterwards no id or token would say that a task is for this user.
    func delete(_ user: Alias, of app: PushApp) async throws -> UserAccount {
        let book = DeviceBook(registry: registry)
        var account = UserAccount(user: user)
        var devices = try await book.devices(of: user, in: app.id)
        for round in 0..<UserDeletion.roundsMaximum where round == 0 || !devices.isEmpty {
            let cancelled = try await cancelTasks(for: UserTarget(user, devices: devices), in: app.id)
            account.tasksCancelled += cancelled.count
            account.hasAllTasks = account.hasAllTasks && cancelled.areAll
            account.devicesRemoved += try await remove(devices, of: user, in: app)
            devices = try await book.devices(of: user, in: app.id)
        }
        try await moments.end(of: UserKey(user, of: app.id))
        // After the devices, by which opens are learnt.
        try await opens.forget(UserKey(user, of: app.id))
        account.hasAllDevices = devices.isEmpty
        log.info("user deleted", [.app: app.id.text, .count: "\(account.devicesRemoved)"])
        return account
    }

    /// A device that was registered for another user in between stays. Its last tasks precede a device: if they cannot
    /// be removed, a repeated request must still find it. Returns the number of removed devices.
    private func remove(_ devices: [RegisteredDevice], of user: Alias, in app: PushApp) async throws -> Int {
        let removed = try await devices.concurrentMap(atOnce: DeviceBook.atOnceMaximum) {
            [registry, classes, activities, deviceTasks] listed in
            guard let current = try await registry.device(listed.id, in: app.id), current.device.isOf(user) else {
                return false
            }
            try await deviceTasks.forget(listed.id.index, in: app.id)
            try await activities.removeAll(of: listed.id, of: app.id)
            return try await classes.remove(current, in: app)
        }
        return removed.count { $0 }
    }

    private func cancelTasks(
        for target: UserTarget, in app: AppID
    ) async throws -> (count: Int, areAll: Bool) {
        var (count, read, areAll) = (0, 0, true)
        var last: TaskEntry.ID?
        while true {
            let page = try await archive.scheduled(of: app, after: last, limit: UserDeletion.pageMaximum)
            for entry in page {
                switch try await listed(entry.task) {
                case .readable(let task): if target.isWhole(of: task), try await cancel(task) { count += 1 }
                case .gone: break
                case .unreadable: areAll = false
                }
            }
            read += page.count
            last = page.last
            guard page.count == UserDeletion.pageMaximum else { return (count, areAll) }
            guard read < UserDeletion.tasksMaximum else { return (count, false) }
        }
    }

    private enum ListedTask {
        case readable(PushTask)
        /// It was released or withdrawn since it was listed.
        case gone
        /// Such as one stored by another version.
        case unreadable
    }

    private func listed(_ id: TaskID) async throws(StoreError) -> ListedTask {
        do throws(StoreError) {
            return try await archive.task(id).map { .readable($0) } ?? .gone
        } catch {
            guard error.code == .corrupt else { throw error }
            log.error("unreadable task not cancelled", [.task: "\(id)", .error: "\(error)"])
            return .unreadable
        }
    }

    /// False for a task that is cancelled already. It stays on the list until the scheduler has released it.
    private func cancel(_ task: PushTask) async throws -> Bool {
        guard try await !ledger.isCancelled(task.id) else { return false }
        try await cancellation.cancel(task)
        return true
    }
}
