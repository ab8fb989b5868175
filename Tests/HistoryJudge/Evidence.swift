package import PushModel
package import Topics

/// What is known of a history after everything has come to rest, from outside of the pipeline.
package struct Evidence: Sendable {
    package var tasks: [JudgedTask] = []
    /// All reports of a task; the same report may have been published twice.
    package var reports: [TaskID: [TaskReport]] = [:]
    /// By task and number of the device.
    package var outcomes: [TaskID: [Int: Set<DeliveryState>]] = [:]
    /// What the providers accepted, by task and number of the device, in order.
    package var pushes: [TaskID: [Int: [JudgedPush]]] = [:]
    /// The tasks whose key another request was accepted with.
    package var keysTakenAgain: [String] = []
    /// The devices that providers did not know, at any time.
    package var unknownToProviders: Set<Int> = []
    /// Those that a publisher removed at some time; some of them came back under another id.
    package var movedDevices: Set<Int> = []
    /// Whether devices were last answered that they are registered, if no other call came in between; and those that are
    /// in the end.
    package var registrations: [Int: Bool] = [:]
    package var registeredDevices: Set<Int> = []
    /// The groups of transfers whose last calls were answered, with their rate or nil if they are archived; and the rates
    /// of those that the API lists by their name.
    package var groups: [String: Int?] = [:]
    package var listedGroups: [String: [Int]] = [:]
    /// The devices whose apps call pushd's routes, if the last call was answered; and the counts of subscribers of topics
    /// to which no task is sent.
    package var subscribers: [JudgedSubscriber] = []
    package var topicCounts: [String: Int] = [:]
    /// Of pushes to one device, and of pushes a second, over all tasks of the app.
    package var cap: PushCap?
    package var appRate: Int?
    /// Of each device at the end; nil for one that never had a badge, or left the app meanwhile.
    package var badges: [Int: Int] = [:]
    /// What devices reported about their pushes, and how many of them a task counts.
    package var receipts: [TaskID: [ReceiptKind: Receipts]] = [:]
    package var receiptCounts: [TaskID: [ReceiptKind: Int]] = [:]
    package var endpoints = EndpointEvidence()
    package var activities: [JudgedActivity] = []
    /// The headers of dead letters.
    package var deadLetters: [String] = []
    /// What is still to be done somewhere: unhandled messages, entries of stores that wait.
    package var leftovers: [String] = []
    /// The most bytes of messages that one consumer held, and the setting that limits them.
    package var bufferedBytesPeak = 0
    package var bufferBytesMaximum = Int.max
    package var disturbances = Disturbances()

    package init() {}
}
