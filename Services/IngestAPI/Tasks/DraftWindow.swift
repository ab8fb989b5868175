import PushModel
import ServiceKit
import TaskModel

/// The window of a draft for one user.
struct DraftWindow: Sendable, Equatable {
    enum End: Sendable, Equatable {
        /// After the time from which the draft may be sent.
        case after(Duration)
        case at(Timestamp)
    }

    enum MethodChoice: Sendable, Equatable {
        case fixed(DeliveryWindow.Method)
        /// Half of the users of a campaign get each method.
        case compared
    }

    let user: Alias
    let end: End
    let method: MethodChoice
    /// The field of the request that gives the end, for errors.
    let field: String

    init(for user: Alias, end: End, method: MethodChoice, field: String) {
        self.user = user
        self.end = end
        self.method = method
        self.field = field
    }

    func of(_ user: Alias) -> DraftWindow {
        DraftWindow(for: user, end: end, method: method, field: field)
    }

    func window(from opens: Timestamp, campaign: String, in app: AppID) -> DeliveryWindow {
        let ends =
            switch end {
            case .after(let length): opens + length
            case .at(let time): time
            }
        switch method {
        case .fixed(let method): return DeliveryWindow(from: opens, to: ends, user: user, method: method)
        case .compared:
            let method = CampaignCohort.comparedMethod(for: user, campaign: campaign, in: app)
            return DeliveryWindow(from: opens, to: ends, user: user, method: method, isCompared: true)
        }
    }

    /// Refuses an end that is over or too far ahead.
    func check(from opens: Timestamp, acceptedAt accepted: Timestamp) throws(TaskError) {
        guard case .at(let time) = end else { return }
        guard time > max(opens, accepted) else {
            throw .invalidField(field, message: "expected a time in the future; \(time) is over")
        }
        guard time - opens <= DeliveryWindow.lengths.upperBound else {
            throw .invalidField(field, message: "expected a time at most 90 days ahead")
        }
    }
}
