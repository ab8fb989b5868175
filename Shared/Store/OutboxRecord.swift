package import ServiceKit

/// What the outbox keeps of a subject.
package struct OutboxRecord: Hashable, Sendable {
    package let subject: OutboxSubject
    /// What its states have in common.
    package let head: [UInt8]
    /// Until when its head and the names of its states are kept, from its first state on.
    package let end: Timestamp

    package init(of subject: OutboxSubject, head: [UInt8], end: Timestamp) {
        self.subject = subject
        self.head = head
        self.end = end
    }
}
