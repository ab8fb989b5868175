package import PushModel
package import ServiceKit
import Synchronization

/// Registers devices within a maximum for each app. Known devices are never refused.
///
/// The maximum holds over all processes, because the store counts; see `DeviceRoom` for how exactly. A process has one
/// of these. Its state is bounded by the number of apps with a maximum and by the requests in progress.
package final class DeviceLimits: Sendable {
    private typealias Room = DeviceRoom<RoomRequest>

    private let registry: any Registry
    private let time: any TimeSource
    private let rooms = Mutex<[AppID: Room]>([:])

    package init(_ registry: any Registry, time: any TimeSource) {
        self.registry = registry
        self.time = time
    }

    /// Nil if the device is new and the app has its maximum.
    package func register(
        _ token: PushToken, changes: DeviceChanges, in app: AppID, devicesMaximum: Int?
    ) async throws(StoreError) -> Registration? {
        guard let devicesMaximum else { return try await registry.register(token, changes: changes, in: app) }
        let isAdmitted = withRoom(of: app) { $0.admitByLatestCount(maximum: devicesMaximum, at: time.uptime) }
        if !isAdmitted {
            guard try await registry.device(of: token, in: app) == nil else {
                return try await registry.register(token, changes: changes, in: app)
            }
            guard try await hasRoom(in: app, maximum: devicesMaximum) else { return nil }
        }
        do throws(StoreError) {
            let registration = try await registry.register(token, changes: changes, in: app)
            await end(in: app, isNew: registration.isNew)
            return registration
        } catch {
            // It may have been stored nevertheless: the next count knows.
            await end(in: app, isNew: true)
            throw error
        }
    }

    /// Admits a new device, or refuses it.
    private func hasRoom(in app: AppID, maximum: Int) async throws(StoreError) -> Bool {
        let request = RoomRequest()
        let mustCount = withRoom(of: app) { $0.add(request, maximum: maximum) }
        if mustCount { await count(app) }
        return try await request.answer().get()
    }

    private func end(in app: AppID, isNew: Bool) async {
        let mustCount = withRoom(of: app) { $0.end(isNew: isNew) }
        if mustCount { await count(app) }
    }

    /// Counts until no candidate needs another count.
    private func count(_ app: AppID) async {
        var mustCount = true
        while mustCount {
            do throws(StoreError) {
                let devices = try await registry.deviceCount(in: app)
                let verdicts = withRoom(of: app) { $0.counted(devices, at: time.uptime) }
                for request in verdicts.admitted { request.resolve(.success(true)) }
                for request in verdicts.refused { request.resolve(.success(false)) }
                mustCount = verdicts.mustCount
            } catch {
                let (failed, isNeeded) = withRoom(of: app) { $0.countFailed() }
                for request in failed { request.resolve(.failure(error)) }
                mustCount = isNeeded
            }
        }
    }

    private func withRoom<Answer: Sendable>(of app: AppID, _ body: (inout Room) -> Answer) -> Answer {
        rooms.withLock { body(&$0[app, default: Room()]) }
    }
}

/// A registration that waits for room. Its wait is not cancelled: an answer that admits must reach the registration,
/// which reports its end.
private final class RoomRequest: Sendable {
    typealias Answer = Result<Bool, StoreError>

    private enum State {
        case open
        case waiting(CheckedContinuation<Answer, Never>)
        case resolved(Answer)
    }

    private let state = Mutex(State.open)

    func resolve(_ answer: Answer) {
        let waiter = state.withLock { state -> CheckedContinuation<Answer, Never>? in
            defer { state = .resolved(answer) }
            guard case .waiting(let continuation) = state else { return nil }
            return continuation
        }
        waiter?.resume(returning: answer)
    }

    func answer() async -> Answer {
        await withCheckedContinuation { continuation in
            let answer = state.withLock { state -> Answer? in
                if case .resolved(let answer) = state { return answer }
                state = .waiting(continuation)
                return nil
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }
}
