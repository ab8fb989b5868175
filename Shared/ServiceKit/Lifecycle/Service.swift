/// A part of a process that runs until it is told to stop: a worker, a server, a bus.
package protocol Service: Sendable {
    var name: String { get }
    /// Returns when it was stopped and everything it had taken is finished. Cancelled when the deadline for that passes.
    func run() async throws
    /// Stop taking; finish what was taken. Returns at once.
    func stop()
}
