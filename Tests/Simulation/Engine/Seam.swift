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
    private let interruption = Mutex<Interruption?>(nil)

    /// What happens to a process in the middle of its work.
    private struct Interruption {
        var effects: Int
        let event: OneTimeEvent
        let perform: @Sendable (Gate) -> Void
    }

    init(_ name: String, world: World, seed: UInt64) {
        self.name = name
        self.world = world
        gate = Gate()
        clock = ProcessClock(world.loop, gate: gate)
        dice = Mutex(Dice(seed: seed))
    }

    /// Of a process to which nothing happens.
    static func undisturbed() -> Seam {
        var dice = Dice(seed: 1)
        let world = World(
            seed: 1, settings: AppSettings(&dice), loses: false, channelRetention: nil, bug: nil, keepsTrace: false)
        return Seam("process", world: world, seed: 1)
    }

    /// Kills or stops the process before one of its next effects, or after a time in which it has fewer.
    func interrupt(
        after effects: Int, orAfter limit: Duration, by perform: @escaping @Sendable (Gate) -> Void
    ) async {
        let event = OneTimeEvent()
        interruption.withLock { $0 = Interruption(effects: effects, event: event, perform: perform) }
        if await event.wait(atMost: limit, time: ProcessClock(world.loop)) { return }
        interruption.withLock { $0 = nil }
        perform(gate)
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
        world.trace.note(world.loop.milliseconds, process: name, effect: effect)
        return true
    }

    private func countDown() {
        let due = interruption.withLock { interruption -> Interruption? in
            guard let effects = interruption?.effects, effects > 0 else {
                defer { interruption = nil }
                return interruption
            }
            interruption?.effects = effects - 1
            return nil
        }
        guard let due else { return }
        due.perform(gate)
        due.event.happen()
    }

    func chance(_ percent: Int) -> Bool {
        percent > 0 && dice.withLock { $0.chance(percent) }
    }

    func duration(_ range: ClosedRange<Duration>) -> Duration { dice.withLock { $0.duration(range) } }
    func seed() -> UInt64 { dice.withLock { $0.next() } }

    private static let killed = StoreError(.unavailable, message: "the process was killed")
}
