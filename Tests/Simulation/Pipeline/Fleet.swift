import ServiceKit
import Synchronization

/// The processes that run, and what an operator or a failing machine does to them.
final class Fleet: Sendable {
    private static let restartDelays = Duration.milliseconds(100) ... .seconds(8)
    /// A process that does too little until then is killed or suspended all the same.
    private static let patience = Duration.seconds(20)

    private let world: World
    private let record: HistoryRecord
    private let dice: Mutex<Dice>
    private let processes = Mutex<[Role: [SimulatedProcess]]>([:])
    private let numbers = Mutex(0)
    /// Also processes that were killed.
    private let all = Mutex<[SimulatedProcess]>([])

    init(in world: World, record: HistoryRecord, seed: UInt64) {
        self.world = world
        self.record = record
        dice = Mutex(Dice(seed: seed))
    }

    func start() {
        for role in Role.allCases { add(role) }
    }

    /// All of them, as when a machine is shut down.
    func stop() async {
        let running = processes.withLock { processes in
            defer { processes = [:] }
            return Role.allCases.flatMap { processes[$0] ?? [] }
        }
        for process in running { await stop(process) }
    }

    /// Everything ends where it is.
    func end() {
        for process in all.withLock({ $0 }) { process.kill() }
    }

    /// Breaks the references of ended processes to themselves.
    func forget() {
        for process in all.withLock({ $0 }) { process.forget() }
    }

    /// Of one incarnation of a program.
    func newSeam(_ name: String) -> Seam {
        let number = numbers.withLock { number in
            number += 1
            return number
        }
        return Seam("\(name)-\(number)", world: world, seed: dice.withLock { $0.next() })
    }

    func add(_ role: Role) {
        let process = SimulatedProcess(role, seam: newSeam(role.rawValue))
        all.withLock { $0.append(process) }
        process.start()
        give(process)
    }

    /// The API that publishers reach: the newest process, also one that is about to be killed. Nil if none runs.
    var publisher: Publisher? {
        all.withLock { $0.last { $0.publisher != nil } }?.publisher
    }

    func setClock(of role: Role, to error: Duration) {
        processes.withLock { $0[role]?.last }?.seam.clock.step(to: error)
    }

    func restart(_ role: Role) async {
        guard let process = take(role) else { return }
        await stop(process)
        add(role)
    }

    /// In the middle of what it does, if it does so many more things.
    func kill(_ role: Role, after effects: Int) async {
        guard let process = take(role) else { return }
        await process.seam.interrupt(after: effects, orAfter: Fleet.patience) { $0.kill() }
        record.disturb(process.seam.name, at: world.loop.uptime)
        process.kill()
        await world.pause(dice.withLock { $0.duration(Fleet.restartDelays) })
        add(role)
    }

    /// The bus gives the partitions of a process that it does not hear from to others; such a process finishes what it
    /// had begun, and joins again.
    func suspend(_ role: Role, after effects: Int, for duration: Duration) async {
        guard let process = take(role) else { return }
        await process.seam.interrupt(after: effects, orAfter: Fleet.patience) { $0.stop() }
        record.disturb(process.seam.name, at: world.loop.uptime)
        guard duration > SimulatedProcess.sessionTimeout else {
            await world.pause(duration)
            process.seam.gate.resume()
            return give(process)
        }
        await world.pause(SimulatedProcess.sessionTimeout)
        await process.expel()
        await world.pause(duration - SimulatedProcess.sessionTimeout)
        record.disturb(process.seam.name, at: world.loop.uptime)
        process.seam.gate.resume()
        await stop(process)
        add(role)
    }

    private func stop(_ process: SimulatedProcess) async {
        guard await !process.stop() else { return }
        record.disturb(process.seam.name, at: world.loop.uptime)
    }

    /// Removes a running process from the list; nil if there is none.
    private func take(_ role: Role) -> SimulatedProcess? {
        processes.withLock { $0[role]?.isEmpty == false ? $0[role]?.removeFirst() : nil }
    }

    private func give(_ process: SimulatedProcess) {
        processes.withLock { $0[process.role, default: []].append(process) }
    }
}
