import ServiceKit
package import Topics

/// Runs a handler over one topic or lane: takes, handles, makes the outputs durable, and only then acknowledges.
///
/// An outage dead-letters nothing: work is retried until its dependency is available. A message that fails by itself is
/// retried a few times, alone, so that its neighbours are spared. A message that crashes processes is found by the
/// starts counted in the store, and is dead-lettered too.
package struct Worker<Handler: MessageHandler>: Service {
    package let name: String
    private let handler: Handler
    private let options: WorkerOptions
    private let consumer: any BusConsumer
    private let producer: any BusProducer
    private let group: String
    private let environment: WorkerEnvironment
    private let meters: WorkerMeters
    private let gate: HandlingGate?
    private let counts: StartCounts?

    /// Closes the consumer and the producer when `run` ends.
    package init(
        channel: Channel, group: String, handler: Handler, options: WorkerOptions, consumer: any BusConsumer,
        producer: any BusProducer, protection: CrashProtection? = nil, environment: WorkerEnvironment
    ) {
        name = "worker \(group) of \(channel.name)"
        self.handler = handler
        self.options = options
        self.consumer = consumer
        self.producer = producer
        self.group = group
        self.environment = environment
        meters = WorkerMeters(environment.metrics, topic: channel.name, group: group)
        gate = protection?.gate
        counts = protection.map { StartCounts($0.starts, group: group, environment: environment) }
    }

    /// Runs until `stop`, and then until the work in flight is done or the task is cancelled.
    package func run() async throws {
        // A separate task: a child task would run with its parent's priority whatever it is given.
        let deliveries = Task(priority: options.priority) { await workOff() }
        await withTaskCancellationHandler {
            await deliveries.value
        } onCancel: {
            counts?.close()
            deliveries.cancel()
        }
        // Must be recorded before the next owners open the partitions.
        await counts?.closed()
        await consumer.close()
        await producer.close()
    }

    private func workOff() async {
        await withTaskGroup(of: Void.self) { tasks in
            for number in 1...options.concurrency {
                let pulse = environment.health.pulse("\(name) #\(number)", limit: options.handlerLimit)
                pulse.rest()
                tasks.addTask { await work(pulse) }
            }
        }
    }

    package func stop() {
        counts?.close()
        consumer.stopTaking()
    }

    private func work(_ pulse: Pulse) async {
        while let delivery = await consumer.next() {
            let isDone = await process(delivery, pulse: pulse)
            pulse.rest()
            guard isDone else { continue }
            consumer.complete(delivery)
            meters.handled.increment(by: delivery.messages.count)
        }
    }

    /// True when every message is handled or dead-lettered.
    private func process(_ delivery: Delivery, pulse: Pulse) async -> Bool {
        let started = environment.time.uptime
        let isDone: Bool
        if let counts, await counts.areCounted(for: delivery) {
            isDone = await handleCounted(delivery.messages, delivery: delivery, pulse: pulse, counts: counts)
        } else {
            isDone = await handle(Turn(delivery, messages: delivery.messages, pulse: pulse, gate: gate, counts: nil))
        }
        if isDone { meters.duration.record(environment.time.uptime - started) }
        return isDone
    }

    /// Handles the messages together, but those that were in flight when a process crashed alone, in order.
    private func handleCounted(
        _ messages: [IncomingMessage], delivery: Delivery, pulse: Pulse, counts: StartCounts
    ) async -> Bool {
        let turn = Turn(delivery, messages: messages, pulse: pulse, gate: gate, counts: counts)
        let earlier = await turn.enter()
        guard earlier.contains(where: { $0 > 0 }) else { return await handle(turn) }
        await turn.leave()
        var start = messages.startIndex
        for (index, count) in earlier.enumerated() where count > 0 {
            if start < index {
                guard
                    await handleCounted(
                        Array(messages[start..<index]), delivery: delivery, pulse: pulse, counts: counts)
                else { return false }
            }
            guard
                await handleSuspect(
                    messages[index], startedBefore: count, delivery: delivery, pulse: pulse, counts: counts)
            else {
                return false
            }
            start = index + 1
        }
        guard start < messages.endIndex else { return true }
        return await handleCounted(Array(messages[start...]), delivery: delivery, pulse: pulse, counts: counts)
    }

    /// Handles a message that was in flight when a process crashed, while no other message is in flight.
    private func handleSuspect(
        _ message: IncomingMessage, startedBefore: Int, delivery: Delivery, pulse: Pulse, counts: StartCounts
    ) async -> Bool {
        let turn = Turn(delivery, messages: [message], pulse: pulse, isAlone: true, gate: gate, counts: counts)
        // A process that is shutting down counts nothing and gets 0.
        let starts = max(startedBefore, await turn.enter().first ?? 0)
        environment.log.warning(
            "message was in flight when a process crashed: handling it alone",
            [
                .topic: delivery.partition.channel, .partition: "\(delivery.partition.number)",
                .offset: "\(message.offset)", .group: group, .attempt: "\(starts + 1)",
            ])
        guard starts >= StartCounts.maximum else { return await handle(turn) }
        let letter = DeadLetter(
            message, group: group, reason: .crashed,
            detail: "\(starts) processes ended while they handled this message",
            attempts: starts)
        // The handler is called only once: if that crashes the process too, the next process skips it.
        let isDone = await bury([letter], turn: turn, notifyingHandler: starts == StartCounts.maximum)
        await turn.finish(isDone: isDone)
        return isDone
    }

    private func handle(_ turn: Turn) async -> Bool {
        await turn.enter()
        var messages: [ReceivedMessage<Handler.Message>] = []
        messages.reserveCapacity(turn.messages.count)
        var dead: [DeadLetter] = []
        for message in turn.messages {
            do {
                messages.append(ReceivedMessage(message: try .init(decoding: message.value), origin: message))
            } catch {
                dead.append(
                    DeadLetter(message, group: group, reason: .undecodable, detail: "\(error)", attempts: 1))
            }
        }
        var isDone = await bury(dead, turn: turn)
        if isDone { isDone = await handleTogether(messages, turn: turn) }
        await turn.finish(isDone: isDone)
        return isDone
    }

    /// Handles all messages together; one by one if the messages fail, by app if a dependency is unavailable.
    private func handleTogether(_ messages: [ReceivedMessage<Handler.Message>], turn: Turn) async -> Bool {
        guard !messages.isEmpty else { return true }
        guard messages.count > 1 else { return await handleAlone(messages[0], turn: turn) }
        switch await outcome(of: messages, turn, attemptsBefore: 0) {
        case .done: return true
        case .abandoned: return false
        case .failed: return await handleOneByOne(messages, turn: turn)
        case .unavailable: return await handleApart(messages.groups { $0.message.tenant }, turn: turn)
        }
    }

    /// Handles the messages of each app separately and in order, so that an outage for one app does not delay the
    /// others; retries the failed ones.
    private func handleApart(_ parts: [[ReceivedMessage<Handler.Message>]], turn: Turn) async -> Bool {
        var waiting = parts
        var outages = 0
        if waiting.count == 1 {
            outages += 1
            await pause(afterAttempt: outages, turn)
        }
        while !waiting.isEmpty {
            var rest: [[ReceivedMessage<Handler.Message>]] = []
            for part in waiting {
                switch await outcome(of: part, turn, attemptsBefore: 0) {
                case .done: continue
                case .abandoned: return false
                case .failed:
                    guard await handleOneByOne(part, turn: turn) else { return false }
                case .unavailable: rest.append(part)
                }
            }
            waiting = rest
            guard !rest.isEmpty else { break }
            outages += 1
            await pause(afterAttempt: outages, turn)
        }
        return true
    }

    private func handleOneByOne(_ messages: [ReceivedMessage<Handler.Message>], turn: Turn) async -> Bool {
        for message in messages {
            guard await handleAlone(message, turn: turn) else { return false }
        }
        return true
    }

    /// Retries through outages, and through failures of the message itself up to the maximum number of attempts.
    private func handleAlone(_ message: ReceivedMessage<Handler.Message>, turn: Turn) async -> Bool {
        var attempts = 0
        var outages = 0
        while true {
            switch await outcome(of: [message], turn, attemptsBefore: attempts) {
            case .done: return true
            case .abandoned: return false
            case .unavailable:
                outages += 1
                await pause(afterAttempt: outages, turn)
            case .failed(let error):
                attempts += 1
                outages = 0
                let isPoison = error is PoisonMessageError
                guard isPoison || attempts >= options.attemptsMaximum else {
                    await pause(afterAttempt: attempts, turn)
                    continue
                }
                let letter = DeadLetter(
                    message.origin, group: group, reason: isPoison ? .poison : .exhausted, detail: "\(error)",
                    attempts: attempts)
                return await bury([letter], turn: turn)
            }
        }
    }

    private enum Outcome {
        case done
        case failed(any Error)
        /// A dependency is unavailable.
        case unavailable
        /// The partition was revoked or the service is shutting down: another process finishes the work.
        case abandoned
    }

    /// Outcome of one attempt.
    private func outcome(
        of messages: [ReceivedMessage<Handler.Message>], _ turn: Turn, attemptsBefore: Int
    ) async -> Outcome {
        guard !Task.isCancelled, consumer.isCurrent(turn.delivery) else { return .abandoned }
        await turn.enter()
        turn.pulse.tick()
        do {
            let context = HandlerContext(
                time: environment.time, random: environment.random, producer: producer,
                log: environment.log.tracing(messages[0].trace), attempt: attemptsBefore + 1)
            let outputs = try await handler.handle(messages, context: context)
            if !outputs.isEmpty { try await producer.send(outputs) }
            return .done
        } catch {
            meters.errors.increment()
            let isOutage = (error as? any RetriableError)?.isRetriable ?? false
            report(error, delivery: turn.delivery, isOutage: isOutage)
            if isOutage { return .unavailable }
            // A handler may also fail with the cancellation of one of its own tasks, which counts as a failure.
            return Task.isCancelled ? .abandoned : .failed(error)
        }
    }

    /// Sends letters to `dead`, waiting through outages of the bus; false if the partition was revoked meanwhile.
    private func bury(_ letters: [DeadLetter], turn: Turn, notifyingHandler: Bool = true) async -> Bool {
        guard !letters.isEmpty else { return true }
        if notifyingHandler {
            guard await giveUp(letters, turn: turn) else { return false }
        }
        var outages = 0
        while !Task.isCancelled, consumer.isCurrent(turn.delivery) {
            turn.pulse.tick()
            do {
                try await producer.send(letters.map(\.outgoing))
                letters.forEach(noteBurial)
                return true
            } catch {
                if error.code == .tooLarge, letters.contains(where: \.isWhole) {
                    return await buryWhatFits(letters, turn: turn, notifyingHandler: notifyingHandler)
                }
                report(error, delivery: turn.delivery, isOutage: true)
                outages += 1
                await pause(afterAttempt: outages, turn)
            }
        }
        return false
    }

    /// Calls `giveUp` of the handler, waiting through outages; false if the partition was revoked meanwhile.
    private func giveUp(_ letters: [DeadLetter], turn: Turn) async -> Bool {
        for letter in letters {
            var outages = 0
            while true {
                guard !Task.isCancelled, consumer.isCurrent(turn.delivery) else { return false }
                await turn.enter()
                turn.pulse.tick()
                do {
                    try await handler.giveUp(letter)
                    break
                } catch {
                    let isOutage = (error as? any RetriableError)?.isRetriable ?? false
                    report(error, delivery: turn.delivery, isOutage: isOutage)
                    guard isOutage else { break }
                    outages += 1
                    await pause(afterAttempt: outages, turn)
                }
            }
        }
        return true
    }

    /// One letter is larger than the bus carries: it is sent without its value, since waiting would not help.
    private func buryWhatFits(_ letters: [DeadLetter], turn: Turn, notifyingHandler: Bool) async -> Bool {
        guard letters.count > 1 else {
            return await bury(letters.map(\.withoutValue), turn: turn, notifyingHandler: notifyingHandler)
        }
        for letter in letters {
            guard await bury([letter], turn: turn, notifyingHandler: notifyingHandler) else { return false }
        }
        return true
    }

    private func noteBurial(_ letter: DeadLetter) {
        meters.dead.increment()
        environment.log.error(
            "message moved to dead",
            [
                .topic: letter.channel, .partition: "\(letter.partition)", .offset: "\(letter.offset)", .group: group,
                .reason: letter.reason.rawValue, .error: letter.detail,
            ])
    }

    private func report(_ error: any Error, delivery: Delivery, isOutage: Bool) {
        environment.log.warning(
            isOutage ? "a dependency is unavailable; retrying" : "handler failed",
            [
                .topic: delivery.partition.channel, .partition: "\(delivery.partition.number)",
                .offset: "\(delivery.messages.first?.offset ?? -1)", .group: group, .error: "\(error)",
            ])
    }

    /// Cancellation ends the wait early; the caller's loop notices it. A long backoff does not count as stuck.
    private func pause(afterAttempt attempt: Int, _ turn: Turn) async {
        await turn.leave()
        turn.pulse.rest()
        let delay = options.backoff.delay(afterAttempt: attempt, random: environment.random)
        try? await environment.time.sleep(for: delay)
    }
}

private struct WorkerMeters: Sendable {
    let handled: Counter
    let errors: Counter
    let dead: Counter
    let duration: Histogram

    init(_ metrics: Metrics, topic: String, group: String) {
        handled = metrics.counter(.busMessagesHandled, labels: ["topic": topic, "group": group])
        errors = metrics.counter(.busHandlerErrors, labels: ["topic": topic, "group": group])
        dead = metrics.counter(.busDeadLetters, labels: ["topic": topic, "group": group])
        duration = metrics.histogram(.busHandlerDuration, labels: ["topic": topic, "group": group])
    }
}
