// Numbers in the replies of scripts, which use the same names; see `ScriptConstants`.

/// What a claim gets of a device. The other codes are the `DeliveryState` in which the device ended.
enum ClaimReplyCode: UInt8, CaseIterable {
    case unmarked = 0
    case held = 1
    case claimed = 2
    case superseded = 3
    case reported = 12
    case capped = 13
}

enum MarkReplyCode: Int64, CaseIterable {
    case cancelled = 0
    case allOpen = 1
}

enum BucketReplyCode: Int64, CaseIterable {
    case lost = 0
    case begun = 1
    case open = 2
}

enum CommitReplyCode: Int64, CaseIterable {
    case done = 0
    case gone = 1
    case changed = 2
    case tooMany = 3
}

enum GroupReplyCode: Int64, CaseIterable {
    case free = 0
    case taken = 1
    case tooMany = 2
}

/// A positive reply is the time to wait.
enum ProbeReplyCode: Int64, CaseIterable {
    case notNeeded = -1
    case granted = 0
}

enum RequestReplyCode: Int64, CaseIterable {
    case begun = 0
    case inProgress = 1
    case other = 2
    case answered = 3
}
