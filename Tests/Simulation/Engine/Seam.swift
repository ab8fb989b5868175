import Bus
import ServiceKit
import Store
import Synchronization

/// What one incarnation of a process reaches the outside through. Each call may be delayed or refused, its answer may
/// be lost, and the process may be stopped or killed before and after it.
final class Seam: Sendable {
    let name: String
    let gate: Gate
    let clock: ProcessClock
    let world: World
    /// Of the process, for the bus to expel when it has died.
    let consumers = Mutex<[SimulatedConsumer]>([])
    private let dice: Mutex<Dice>
    private let mishap = Mutex<Mishap?>(nil)

    /// What happens to a process in the middle of its work.
    private struct Mishap {
        var effects: Int
        let kills: Bool
        let event: OneTimeEvent
    }

    init(_ name: String, world: World, seed: UInt64) {
        self.name = name
        self.world = world
        gate = Gate()
        clock = ProcessClock(world.loop, gate: gate)
        dice = Mutex(Dice(seed: seed))
    }

    /// Kills the process before one of its next effects, or after a time in which it has fewer.
    func crash(after effects: Int, orAfter limit: Duration) async {
        _ = await meet(after: effects, kills: true, orAfter: limit)
        gate.kill()
    }

    /// Waits until the process is about to have its next effect but so many; false if it has fewer in that time.
    func proceed(to effects: Int, orAfter limit: Duration) async -> Bool {
        await meet(after: effects, kills: false, orAfter: limit)
    }

    private func meet(after effects: Int, kills: Bool, orAfter limit: Duration) async -> Bool {
        let event = OneTimeEvent()
        mishap.withLock { $0 = Mishap(effects: effects, kills: kills, event: event) }
        return await event.wait(atMost: limit, time: ProcessClock(world.loop))
    }

    /// Of a store.
    func call<Value: Sendable>(
        _ effect: StaticString, _ body: () async throws -> Value
    ) async throws(StoreError) -> Value {
        let faults = world.faults
        guard await reach(effect, faults: faults) else { throw Seam.killed }
        if chance(faults.storeRefusals) { throw StoreError(.unavailable, message: "refused by the simulation") }
        if world.isFull, MemoryBound.refuses(effect) { throw MemoryBound.error }
        let value: Value
        do {
            value = try await body()
        } catch let error as StoreError {
            throw error
        } catch {
            preconditionFailure("a store threw \(error)")
        }
        guard await reach(effect, faults: faults) else { throw Seam.killed }
        if chance(faults.lostStoreAnswers) { throw StoreError(.unavailable, message: "the answer was lost") }
        return value
    }

    /// True if a look at a store that has nothing takes no step: services look twice a second, for hours, and a kill
    /// there is like one before or after.
    var mayLookInPassing: Bool { world.faults == Faults() && !gate.isDead }

    /// Before and after anything else that is outside. False if the process is dead.
    func reach(_ effect: StaticString, faults: Faults) async -> Bool {
        if chance(faults.slowCalls) {
            let delay = dice.withLock { $0.duration(.milliseconds(1) ... .milliseconds(3_000)) }
            try? await world.loop.sleep(until: world.loop.uptime + delay)
        } else {
            await world.loop.pause()
        }
        countDown()
        guard await gate.pass() else { return false }
        world.trace.note(world.loop.uptime, process: name, effect: effect)
        return true
    }

    private func countDown() {
        let due = mishap.withLock { mishap -> Mishap? in
            guard let effects = mishap?.effects, effects > 0 else { return mishap }
            mishap?.effects = effects - 1
            return nil
        }
        guard let due else { return }
        if due.kills { gate.kill() }
        due.event.happen()
    }

    func chance(_ percent: Int) -> Bool {
        percent > 0 && dice.withLock { $0.chance(percent) }
    }

    func duration(_ range: ClosedRange<Duration>) -> Duration { dice.withLock { $0.duration(range) } }
    func seed() -> UInt64 { dice.withLock { $0.next() } }

    private static let killed = StoreError(.unavailable, message: "the process was killed")
}
