import Synchronization

/// The servers that fail for one app, as the metrics count them and publishers are shown them: until they recover or are
/// forgotten, or until the app's gate, which owns this, is released.
///
/// The gate reports changes while it holds its lock: in another order a recovery could be lost.
final class OriginFailures: Sendable {
    private let meters: OriginMeters
    private let notes: FailingServerNotes
    /// With the service that each was counted for. As many as the gate remembers, at most.
    private let failing = Mutex<[PushOrigin: PushServiceList.Entry?]>([:])

    init(_ meters: OriginMeters, notes: FailingServerNotes) {
        self.meters = meters
        self.notes = notes
    }

    deinit {
        for (origin, service) in failing.withLock({ $0 }) {
            meters.removeFailing(service)
            notes.remove(origin)
        }
    }

    /// Pushes to the server are held back, for the given time.
    func noteRefusal(of origin: PushOrigin, for pause: Duration) {
        notes.add(origin, for: pause)
    }

    /// `hasWorked` is true if the server has answered a push without an error.
    func note(_ change: OriginWindow.Change, of origin: PushOrigin, hasWorked: Bool) {
        meters.noteChange(change)
        switch change {
        case .failing:
            let service = meters.service(of: origin, hasWorked: hasWorked)
            failing.withLock { _ = $0.updateValue(service, forKey: origin) }
            meters.addFailing(service)
        case .recovered: forget([origin])
        }
    }

    func forget(_ origins: [PushOrigin]) {
        for origin in origins {
            guard let service = failing.withLock({ $0.removeValue(forKey: origin) }) else { continue }
            meters.removeFailing(service)
            notes.remove(origin)
        }
    }
}
