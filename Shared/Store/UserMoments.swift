package import PushModel
package import ServiceKit

/// Good moments of users, and the tasks that wait for one. Which of the two comes first makes no difference: a task that
/// is entered learns of a moment that lasts, and a moment that is reported learns of the tasks.
package protocol UserMoments: Sendable {
    /// Enters a task that waits until its window ends. Returns until when the user's present moment lasts; nil without
    /// one. A repeat changes nothing. Beyond `UserMomentBounds.tasksMaximum` a task is not entered.
    func enter(_ task: TaskID, until end: Timestamp, of user: UserKey) async throws(StoreError) -> Timestamp?
    /// The tasks wait no longer.
    func leave(_ tasks: [TaskID], of user: UserKey) async throws(StoreError)

    /// A good moment begins, or lasts until another time. Returns the tasks that wait for it.
    func begin(until end: Timestamp, of user: UserKey) async throws(StoreError) -> [TaskID]
    func end(of user: UserKey) async throws(StoreError)
}

/// A user of an app.
package struct UserKey: Hashable, Sendable {
    package let app: AppID
    package let user: Alias

    package init(_ user: Alias, of app: AppID) {
        self.app = app
        self.user = user
    }
}

package enum UserMomentBounds {
    /// Tasks of one user that may be released by a moment; further ones wait for their time.
    package static let tasksMaximum = 100
    package static let lifetimes = Duration.seconds(10)...Duration.seconds(3_600)
}
