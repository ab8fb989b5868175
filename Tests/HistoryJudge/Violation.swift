/// A rule that a history broke, and where.
package struct Violation: Sendable, CustomStringConvertible {
    package enum Rule: String, CaseIterable, Sendable {
        case acceptedTasksAreReported = "an accepted task is reported once"
        case countsAddUp = "the counts of a report are those of its devices"
        case statusIsThatOfReport = "the status of a transfer is that of its report"
        case groupsAreAsAnswered = "a group of transfers is as it was last answered"
        case everyTargetHasAnOutcome = "every addressed device has an outcome"
        case nobodyElseIsTargeted = "no other device has an outcome or a push"
        case oneOutcome = "a device has one outcome"
        case deliveredMeansAccepted = "a delivered push was accepted by the provider"
        case acceptedMeansDelivered = "a push that the provider accepted is delivered or unknown"
        case atMostOnce = "at most one push of a task that allows no repeat"
        case noRepeatWithoutReason = "a push is repeated only if its answer may be lost"
        case nothingBeforeBegin = "no push before the time of its task"
        case nothingAfterCancel = "no push long after a cancel was answered"
        case nothingAfterDeadline = "no push long after the deadline"
        case textIsItsOwn = "a push shows the text that its task has for the device"
        case strangersAreCounted = "a report counts the entries of a list that name no device"
        case outcomeHasReason = "a device ends as cancelled, suppressed or invalid only for that reason"
        case rateKept = "no more pushes in ten seconds than the rate allows"
        case capKept = "no more pushes to a device within a period than the cap allows"
        case badgeCountedOnce = "each task counts the badge of a device once"
        case keyAnsweredOnce = "a repeated request gets the same task"
        case keyIsOfOneRequest = "another request with the key of an earlier one is refused"
        case buffersKeepBounds = "a consumer holds no more than its buffer allows"
        case reportsArePosted = "the endpoint of an app gets the report of each task"
        case postsAreRepeatedUnchanged = "a post is repeated with the same bytes"
        case pendingIsToldFirst = "the first state of a message that a webhook is told is pending"
        case statesAreToldOnce = "a webhook is told each state once"
        case statesAreOutcomes = "a webhook is told the outcomes of a message"
        case removalsAreToldOnce = "a webhook is told once that a device left"
        case lastRegistrationCounts = "a device is registered if it was last answered so"
        case tokenHasOneDevice = "a token that is registered again keeps its device"
        case subscribersAreAsAnswered = "a device has the category and the subscriptions that were last answered"
        case topicsCountSubscribers = "a topic counts its subscribers"
        case receiptsAreCountedOnce = "a task counts each kind of receipt of a device once"
        case lastStateCounts = "the last accepted state of an activity is kept"
        case nothingFollowsEnd = "nothing follows the end of an activity"
        case timestampsRise = "a later state of an activity has a higher timestamp"
        case timestampsKeepTime = "the timestamps of an activity do not run ahead of the clock"
        case oldStatesGiveWay = "no older state of an activity is sent long after a newer one"
        case phonesShowLastState = "each phone shows the last state of an activity"
        case mirrorsShowLastState = "each device that mirrors an activity shows its last state"
        case lastTokenCounts = "a phone has the token of an activity that it reported last"
        case channelsAreKept = "the channel of an activity is deleted only after its end"
        case lostChannelsAreForgotten = "no phone is told of a channel long after Apple refused it"
        case nothingDead = "no message is dead-lettered"
        case nothingLeftOver = "nothing is left to do"
        case livelock = "the pipeline comes to rest"
    }

    package let rule: Rule
    package let detail: String

    package init(_ rule: Rule, _ detail: String) {
        self.rule = rule
        self.detail = detail
    }

    package var description: String { "\(rule.rawValue): \(detail)" }
}
