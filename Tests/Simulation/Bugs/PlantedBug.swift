/// Mistakes that can be planted into a pipeline, to see that histories find them.
enum PlantedBug: String, CaseIterable, Sendable {
    /// A message counts as handled before it is.
    case completionBeforeHandling
    /// A producer answers before its messages are durable, and then loses some.
    case outputsBeforeDurable
    /// Claims do not look at those of others.
    case claimWithoutFencing
    /// A sender that lost its claim settles as if it had it.
    case settlementWithoutClaim
    /// A cancel changes nothing.
    case cancelForgotten
    /// A device whose delivery is unknown is sent to again, whatever its task allows.
    case repeatsDespiteAtMostOnce
    /// Some devices are sent on without a mark.
    case markForgotten
    /// Results count as reported before they are published.
    case reportedBeforePublished
    /// Some retries are lost.
    case retryForgotten
    /// A retry leaves the index when it is leased.
    case retryLeftEarly
    /// A task leaves the agenda when it is taken.
    case agendaLeftEarly
    /// Some refusals of a provider are taken for deliveries.
    case failureTakenForDelivery
    /// A push without an answer is taken for one that was never sent.
    case unknownTakenForNotSent
    /// An answer after which the push may be delivered counts as a refusal.
    case lateFailureTakenForRefusal
    /// The answers to requests with a key are not kept.
    case keyForgotten
    /// Devices are claimed without looking at the cap of their app.
    case capForgotten
    /// Pushes do not wait for a slot of their rate.
    case rateForgotten
    /// A claim for a retry counts the badge again.
    case badgeCountedAgain
    /// A task that waits for its time is released too early.
    case releasedTooEarly
    /// The order to wait is sent on, but the device is not deferred.
    case deferralForgotten
    /// A task that was cancelled before it is resolved looks like any other.
    case tombstoneLost
    /// A process whose partitions were taken completes their messages all the same.
    case staleMemberCompletes
    /// A moment releases a task, but the task is not sent.
    case momentReleasesNothing
    /// A process buffers all messages that there are.
    case inboxWithoutBound
    /// Processes do not look at the witness.
    case rollbackUnnoticed
    /// A rebuild also ends the doubt about a loss during it.
    case laterLossTrusted
    /// All pushes that are sent together show the text of the first.
    case textOfAnother
    /// Instead of its own part of a list a job gets the first.
    case partTakenForFirst
    /// States leave the outbox before they are posted.
    case statesLeftEarly
    /// A report counts as posted once it is published.
    case reportSettledEarly
    /// Some receipts are not counted.
    case receiptForgotten
    /// Some changes of the clock of a Live Activity are lost.
    case activityClockStands
    /// The end of a Live Activity is not stored.
    case activityEndForgotten
    /// Devices whose deadline is over stay open.
    case expiryForgotten
    /// A key counts for any request that has it.
    case keyOfAnyRequest
    /// A post to a webhook that is repeated has other bytes.
    case repeatWithOtherBytes
    /// The outbox takes the states of a message again.
    case stateToldAgain
    /// The outbox takes each transition of a device twice.
    case removalToldTwice
    /// Some entries of a list that name no device are not counted.
    case strangersForgotten
    /// The devices that mirror a Live Activity are not sent its states.
    case mirrorForgotten
    /// A channel that Apple made for a Live Activity is not stored.
    case channelForgotten
    /// A channel that Apple does not know any more is kept.
    case lostChannelKept
    /// Senders take some activities for forgotten ones.
    case channelDeletedEarly
    /// Some devices that leave the app stay registered.
    case removalForgotten
    /// Subscriptions that an app on a device ends are kept.
    case unsubscriptionForgotten
    /// The subscriptions that replace those of a device are added to them.
    case subscriptionsAdded
    /// A token that is registered again gets another device.
    case registrationReplaces
    /// Changes of groups of transfers are not stored.
    case groupChangeForgotten
    /// A transfer is answered, but not stored as accepted.
    case transferLeftPending
}
