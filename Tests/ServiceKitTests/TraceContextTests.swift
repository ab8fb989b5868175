import ServiceKit
import Testing

@Suite struct TraceContextTests {
    @Test func readsWhatItWrites() throws {
        let context = TraceContext(random: SeededRandomSource(seed: 7))
        #expect(TraceContext(header: context.header) == context)
    }

    @Test func aChildKeepsTheTraceAndTheSamplingButNotTheSpan() throws {
        let parent = try #require(TraceContext(header: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"))
        let child = parent.child(random: SeededRandomSource(seed: 7))
        #expect(child.traceID == parent.traceID)
        #expect(child.spanID != parent.spanID)
        #expect(!child.isSampled)
    }

    @Test(arguments: [
        "", "00", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
        "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
        "00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01",
    ])
    func treatsAMalformedHeaderAsAbsent(header: String) {
        #expect(TraceContext(header: header) == nil)
    }

    @Test func acceptsALaterVersionWithMoreFields() {
        #expect(TraceContext(header: "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more") != nil)
    }
}
