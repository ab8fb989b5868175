/// A device whose app calls pushd's routes, and what these answered.
package struct JudgedSubscriber: Sendable {
    /// What its app may change.
    package struct State: Hashable, Sendable {
        package var category: String?
        /// By topic; true if pushes come without their text.
        package var subscriptions: [String: Bool]

        package init(category: String? = nil, subscriptions: [String: Bool] = [:]) {
            self.category = category
            self.subscriptions = subscriptions
        }
    }

    package let device: Int
    /// What follows from the last answer, and what is read in the end; nil if the device is not registered.
    package let answered: State?
    package let found: State?
    /// How many ids registrations were answered with since the device last left.
    package let ids: Int

    package init(_ device: Int, answered: State?, found: State?, ids: Int) {
        self.device = device
        self.answered = answered
        self.found = found
        self.ids = ids
    }
}

extension JudgedSubscriber.State: CustomStringConvertible {
    package var description: String {
        let topics = subscriptions.sorted { $0.key < $1.key }.map { $0.value ? "\($0.key) without text" : $0.key }
        return "category \(category ?? "none"), topics \(topics)"
    }
}
