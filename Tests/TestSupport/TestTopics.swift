package import Topics

/// Topics that no other test uses.
package enum TestTopics {
    package static func make(
        _ kind: TopicDeclaration.Kind = .work, admission: TopicDeclaration.Admission = .forward, partitions: Int = 4,
        cleanup: TopicDeclaration.Cleanup = .age(days: 7)
    ) -> Topic<OpaqueMessage> {
        let name = "test-" + String(UInt64.random(in: .min ... .max), radix: 16)
        return Topic(
            TopicDeclaration(
                name, kind: kind, admission: admission, cleanup: cleanup,
                partitions: .init(kafka: partitions, embedded: partitions), key: "", from: ["test"], to: ["test"]))
    }
}
