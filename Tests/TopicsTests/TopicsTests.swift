import Testing
import Topics

@Suite struct TopicsTests {
    @Test func everyNameIsUsedOnce() {
        let names = Topics.all.flatMap(\.channels).map(\.name)
        #expect(Set(names).count == names.count)
    }

    /// Names become Kafka topics, which allow no other characters, and parts of Redis keys, where braces have a
    /// meaning.
    @Test func namesAreSafeForEveryBus() {
        for name in Topics.all.flatMap(\.channels).map(\.name) {
            let isSafe = name.utf8.allSatisfy { (97...122).contains($0) || $0 == 46 }
            #expect(isSafe && name.utf8.count <= 249, "\(name)")
        }
    }

    @Test func findsEveryChannelByItsName() {
        for channel in Topics.all.flatMap(\.channels) {
            let found = Topics.channel(named: channel.name)
            #expect(found == channel)
            #expect(found?.declaration === channel.declaration)
        }
    }

    @Test(arguments: ["", "audience", "audience.slow", "tasks.fast", "no such topic"])
    func findsNothingUnderOtherNames(name: String) {
        #expect(Topics.channel(named: name) == nil)
    }

    @Test func lanesAreChannelsOfTheirOwn() {
        #expect(Topics.audience.channel(.fast).name == "audience.fast")
        #expect(Topics.audience.channel(.bulk).name == "audience.bulk")
        #expect(Topics.audience.channel(.fast) != Topics.audience.channel(.bulk))
        #expect(Topics.tasks.channel.name == "tasks")
    }

    /// A single push must never queue behind a broadcast, neither on its way to the device nor on its way to a retry.
    @Test func everyHotTopicHasBothLanes() {
        let laned = Topics.all.filter { !$0.lanes.isEmpty && $0.name != "segments" }
        #expect(
            Set(laned.map(\.name)) == ["audience", "dispatch.apns", "dispatch.android", "dispatch.web", "retries"])
        for topic in laned {
            #expect(topic.lanes == [.fast, .bulk])
            #expect(topic.channels.map(\.lane) == [.fast, .bulk])
        }
        #expect(Topics.tasks.channel.lane == nil)
        // Single pushes use no jobs.
        #expect(Topics.segments.declaration.lanes == [.bulk])
    }

    /// A full pipeline can only drain if draining topics always accept messages.
    @Test func whatDrainsNeverWaits() {
        let draining = Topics.all.filter { $0.admission == .draining }.map(\.name)
        #expect(
            Set(draining) == [
                "retries", "results", "reports", "feedback", "receipts", "events", "statuses", "webhooks", "registry",
                "dead",
            ])
    }

    @Test func logsNeverMakeAProducerWait() {
        let logs = Topics.all.filter { $0.kind == .log }
        #expect(Set(logs.map(\.name)) == ["reports", "feedback", "receipts", "events", "registry", "dead"])
        for topic in logs { #expect(topic.admission == .draining) }
    }

    @Test func everyTopicIsWrittenReadAndDivided() {
        for topic in Topics.all {
            #expect(!topic.producers.isEmpty && !topic.consumers.isEmpty, "\(topic.name)")
            #expect(topic.partitions.kafka >= topic.partitions.embedded && topic.partitions.embedded > 0)
        }
    }

    @Test func aTopicWithLanesHasNoSingleChannel() async {
        await #expect(processExitsWith: .failure) { _ = Topics.audience.channel }
    }

    @Test func aTopicWithoutLanesHasNone() async {
        await #expect(processExitsWith: .failure) { _ = Topics.tasks.channel(.fast) }
    }
}
