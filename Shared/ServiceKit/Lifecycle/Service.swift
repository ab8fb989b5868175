/// A part of a process that runs until it is stopped: a worker, a server, a bus.
package protocol Service: Sendable {
    var name: String { get }
    /// Returns after it was stopped and has finished its in-flight work. Cancelled when the drain deadline passes.
    func run() async throws
    /// Stops taking new work; in-flight work is finished. Returns immediately.
    func stop()
}
