import Bus
import ServiceKit
import TestSupport
import Testing
import Topics

/// A message that crashes every process that handles it. The consumers are processes.
@Suite struct CrashLoopTests {
    /// Goal: such a message blocks its partition only for a limited number of processes. Method: start processes until
    /// one handles the messages after it.
    @Test(arguments: [Driver.redis, .kafka])
    func aMessageThatTrapsIsGivenUp(driver: Driver) async throws {
        let fixture = try await driver.fixture()
        let topic = TestTopics.make(partitions: 1)
        try await fixture.prepare(topic)
        try await fixture.prepare(Topics.dead)
        let bus = try fixture.bus()
        let producer = try await bus.makeProducer(ProducerOptions())
        let neighbours = (0..<20).map { "\($0)" }
        try await producer.send((neighbours[..<7] + ["trap"] + neighbours[7...]).map { topic.text($0) })

        // The first start is not counted, the second counts among others, the last two alone.
        for death in 1...4 {
            let probe = try #require(try fixture.spawnProbe(topic, group: "g"))
            let ending = await probe.end()
            guard case .signalled = ending else {
                Issue.record("process \(death) did not die: \(ending), \(probe.lines)")
                return
            }
        }
        let survivor = try #require(try fixture.spawnProbe(topic, group: "g"))
        #expect(await survivor.line { $0 == "handled 19" } != nil, "\(survivor.lines)")
        let handled = survivor.lines.filter { $0.hasPrefix("handled") }
        #expect(handled == neighbours.map { "handled \($0)" })
        survivor.signal(15)
        #expect(await survivor.end() == .exited(0))

        let letters = Record()
        try await bus.scan(Topics.dead.channel) { message in
            let letter = DeadLetter(fromDead: message)
            letters.add("\(String(decoding: message.value, as: UTF8.self)) \(letter?.reason.rawValue ?? "")")
            return true
        }
        #expect(letters.all == ["trap crashed"])
        await bus.close()
    }
}
