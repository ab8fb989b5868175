import Bus
import ServiceKit
import TestSupport
import Testing
import Topics

/// The defaults are documented and measured, so a change must be deliberate.
@Suite struct DefaultsTests {
    @Test func workerOptions() throws {
        var reader = EnvironmentReader([:])
        for options in [WorkerOptions(), WorkerOptions(environment: &reader)] {
            #expect(options.concurrency == 4)
            #expect(options.attemptsMaximum == 5)
            #expect(options.backoff == Backoff(first: .milliseconds(200), longest: .seconds(30)))
            #expect(options.handlerLimit == .seconds(120))
        }
        try reader.finish()
    }

    @Test func aBackoffThatShrinksIsRefused() {
        var reader = EnvironmentReader([
            "CARILLON_WORKER_BACKOFF_FIRST": "10s", "CARILLON_WORKER_BACKOFF_LONGEST": "1s",
        ])
        _ = WorkerOptions(environment: &reader)
        #expect(reader.problems.map(\.variable) == ["CARILLON_WORKER_BACKOFF_LONGEST"])
    }

    @Test func consumerOptions() {
        let options = ConsumerOptions(channel: TestTopics.make().channel, group: "g")
        #expect(options.order == .partition)
        #expect(options.batchMessagesMaximum == 500)
        #expect(options.batchBytesMaximum == 1 << 20)
        #expect(options.bufferBytesMaximum == 16 << 20)
        #expect(options.handOverDeadline == .seconds(20))
        #expect(ProducerOptions().patience == .seconds(30))
    }
}
