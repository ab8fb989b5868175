package import PushModel

/// The groups of each app. Groups are archived, not removed: what was sent by a group names it.
package protocol TransferGroups: Sendable {
    /// All, in ascending order of their ids.
    func groups(in app: AppID) async throws(StoreError) -> [TransferGroup]
    func group(_ id: Int64, in app: AppID) async throws(StoreError) -> TransferGroup?
    /// Creates or replaces; the last of several replacements counts. Two groups of an app have different names unless
    /// one of them is archived. Callers that create at the same time may exceed the maximum by their number.
    func save(_ group: TransferGroup, in app: AppID) async throws(StoreError) -> TransferGroupVerdict
}

package enum TransferGroupVerdict: Hashable, Sendable {
    case saved
    case nameTaken
    /// The app has `TransferGroupBounds.countMaximum` groups.
    case tooMany
}
