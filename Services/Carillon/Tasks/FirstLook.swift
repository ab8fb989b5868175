import ServiceKit

/// Looks at a task just after it was posted. A dry run would know its devices too, but it reads the record of every
/// device that an audience with filters selects.
struct FirstLook {
    private static let span = Duration.seconds(1)
    private static let pauses = Backoff(first: .milliseconds(30), longest: .milliseconds(300))

    private let api: TaskAPI
    private let time: any TimeSource

    init(_ api: TaskAPI, time: any TimeSource) {
        self.api = api
        self.time = time
    }

    /// False if there are devices, or if this is not known soon: the task is durable, so an error is none of the push.
    func findsNoDevice(for id: String) async -> Bool {
        let deadline = time.uptime + FirstLook.span
        var attempt = 1
        while time.uptime < deadline {
            switch await finding(of: id) {
            case .noDevice: return true
            case .other: return false
            case .open: break
            }
            let pause = FirstLook.pauses.delay(afterAttempt: attempt, random: SystemRandomSource())
            guard (try? await time.sleep(for: pause)) != nil else { return false }
            attempt += 1
        }
        return false
    }

    private enum Finding {
        case noDevice
        case open
        /// It has devices, waits for its time, or cannot be read, such as by a key that only publishes.
        case other
    }

    private func finding(of id: String) async -> Finding {
        guard let status = try? await api.status(of: id), status.state != .scheduled, status.state != .failed,
            !status.isCancelled, status.targeted == 0
        else { return .other }
        return status.isResolved ? .noDevice : .open
    }
}
