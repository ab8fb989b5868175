/// Runs services that depend on each other, dependencies first. Stops them in reverse order, one at a time: a producer
/// finishes before its consumers.
package struct ServiceGroup: Sendable {
    package enum End: Equatable, Sendable {
        /// Every service finished its in-flight work.
        case drained
        /// The deadline passed first; these services had not finished and were cancelled.
        case cutOff([String])
    }

    private enum Event: Sendable {
        case asked
        case ended(Int, (any Error)?)
        case deadline
    }

    private let services: [any Service]
    private let log: Log
    private let time: any TimeSource

    package init(_ services: [any Service], log: Log, time: any TimeSource) {
        self.services = services
        self.log = log
        self.time = time
    }

    /// Runs until `stop` returns or a service ends or fails, then drains within the deadline. Afterwards throws the
    /// first failure, including one of the drain or of a service that ended without being stopped.
    package func run(
        drainingWithin deadline: Duration, until stop: @escaping @Sendable () async -> Void
    ) async throws -> End {
        let (events, report) = AsyncStream.makeStream(of: Event.self)
        let runs = services.indices.map { index in
            Task { _ = await report.yield(.ended(index, errorEnding(services[index]))) }
        }
        let stopping = Task {
            await stop()
            report.yield(.asked)
        }
        defer { stopping.cancel() }
        var iterator = events.makeAsyncIterator()
        var failure: (any Error)?
        var ended: Set<Int> = []
        if case .ended(let index, let error) = await iterator.next() {
            failure = error ?? ServiceEndedEarlyError(name: services[index].name)
            ended = [index]
        }
        let (end, later) = await drain(runs, ended: ended, within: deadline, events: &iterator, report: report)
        guard let failure = failure ?? later else { return end }
        if case .cutOff(let names) = end { log.error("drain deadline exceeded: \(names.joined(separator: ", "))") }
        throw failure
    }

    private func errorEnding(_ service: any Service) async -> (any Error)? {
        do {
            try await service.run()
            return nil
        } catch {
            log.error("\(service.name) failed", [.error: "\(error)"])
            return error
        }
    }

    private func drain(
        _ runs: [Task<Void, Never>], ended first: Set<Int>, within deadline: Duration,
        events: inout AsyncStream<Event>.Iterator, report: AsyncStream<Event>.Continuation
    ) async -> (End, failure: (any Error)?) {
        let watchdog = Task {
            try await time.sleep(for: deadline)
            report.yield(.deadline)
        }
        defer { watchdog.cancel() }
        var ended = first
        var failure: (any Error)?
        for index in services.indices.reversed() {
            services[index].stop()
            while !ended.contains(index) {
                switch await events.next() {
                case .ended(let other, let error):
                    ended.insert(other)
                    failure = failure ?? error
                case .asked: continue
                case .deadline, nil:
                    // The services before it were not stopped yet, and some end only when they are.
                    services[..<index].reversed().forEach { $0.stop() }
                    // Not awaited any longer: a service that ignores cancellation must not delay the end.
                    runs.forEach { $0.cancel() }
                    let late = services.indices.filter { !ended.contains($0) }
                    return (.cutOff(late.map { services[$0].name }), failure)
                }
            }
        }
        return (.drained, failure)
    }
}

/// A service returned without being stopped.
package struct ServiceEndedEarlyError: Error, CustomStringConvertible {
    package let name: String
    package var description: String { "\(name) ended without being stopped" }
}
