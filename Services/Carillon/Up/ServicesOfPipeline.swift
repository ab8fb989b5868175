import ServiceKit

/// The services, which drain together: within one deadline, and before Redis and the simulator stop.
final class ServicesOfPipeline: Service {
    let name = "services"
    private let programs: [KeptProgram]
    private let drainDeadline: Duration
    private let log: Log
    private let time: any TimeSource
    private let stopRequest = OneTimeEvent()

    init(_ programs: [KeptProgram], drainingWithin deadline: Duration, log: Log, time: any TimeSource) {
        self.programs = programs
        drainDeadline = deadline
        self.log = log
        self.time = time
    }

    func run() async throws {
        let end = try await ServiceGroup(programs, log: log, time: time)
            .run(drainingWithin: drainDeadline) { [stopRequest] in await stopRequest.wait() }
        guard case .cutOff(let names) = end else { return }
        throw UpError(
            """
            \(names.joined(separator: ", ")) did not stop within \(DurationText.print(drainDeadline)) and had to be \
            killed; unfinished work is redelivered
            """)
    }

    func stop() {
        stopRequest.happen()
    }
}
