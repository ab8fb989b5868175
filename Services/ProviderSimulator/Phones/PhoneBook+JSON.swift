import ServiceKit

extension Phone {
    /// As the admin API shows a new phone.
    var newJSON: String {
        JSONText.object { json in
            describeTokens(in: &json)
            if let token = activities.first?.token { json.member("activity_token", token.text(as: .liveActivity)) }
        }
    }

    fileprivate func describeTokens(in json: inout JSONText) {
        json.member("phone", String(number))
        json.member("token", token.text(as: .device))
        json.member("push_to_start_token", pushToStartToken.text(as: .liveActivity))
    }

    /// Of an activity, and of the pushes that started none.
    fileprivate func counts(with activity: PhoneActivity?) -> PushCounts {
        var counts = counts
        if let activity { counts.add(activity.counts) }
        return counts
    }
}

extension PhoneBook {
    /// A phone with several activities is shown with each; without a filter, a phone that has none is shown as well.
    private func forEachEntry(ofActivity id: String?, limit: Int = .max, body: (Phone, PhoneActivity?) -> Void) {
        var rest = limit
        for phone in phones where rest > 0 {
            if id == nil, phone.activities.isEmpty {
                rest -= 1
                body(phone, nil)
            }
            for activity in phone.activities where rest > 0 && activity.id == id ?? activity.id {
                rest -= 1
                body(phone, activity)
            }
        }
    }

    func json(ofActivity id: String?, limit: Int) -> String {
        var entries: [String] = []
        forEachEntry(ofActivity: id, limit: limit) { entries.append(json(of: $0, $1)) }
        return "[" + entries.joined(separator: ",\n") + "]"
    }

    private func json(of phone: Phone, _ activity: PhoneActivity?) -> String {
        JSONText.object { json in
            phone.describeTokens(in: &json)
            if let device = phone.device { json.member("device", device) }
            json.member("state", activity?.state.rawValue ?? PhoneBook.idle)
            if let activity { describe(activity, in: &json) }
            let counts = phone.counts(with: activity)
            counts.describe(in: &json)
            counts.describeWorstSecond(in: &json)
            json.member("reports_made", Int(phone.reportsMade))
            json.member("reports_failed", Int(phone.reportsFailed))
        }
    }

    private func describe(_ activity: PhoneActivity, in json: inout JSONText) {
        json.member("activity", activity.id)
        if let token = activity.token { json.member("activity_token", token.text(as: .liveActivity)) }
        if let channel = activity.channel { json.member("channel", channel) }
        if let state = activity.contentState { json.member("content_state", json: states.text(state)) }
        if let timestamp = activity.timestamp { json.member("timestamp", Int(timestamp)) }
    }

    /// The state of a phone without an activity.
    private static let idle = "idle"
    private static let shownStatesMaximum = 20
}

extension PhoneBook {
    /// The phones, or those with one activity, taken together.
    private struct Summary {
        /// The number of phones by state.
        var states: [PhoneActivity.State?: Int] = [:]
        /// The number of phones by content state.
        var contentStates: [Int: Int] = [:]
        var newest: Int64?
        var sums = PushCounts()
        var maxima = PushCounts()
    }

    func summary(ofActivity id: String?) -> String {
        var summary = Summary()
        forEachEntry(ofActivity: id) { phone, activity in
            let counts = phone.counts(with: activity)
            summary.states[activity?.state, default: 0] += 1
            if let state = activity?.contentState { summary.contentStates[state, default: 0] += 1 }
            if let timestamp = activity?.timestamp { summary.newest = max(summary.newest ?? timestamp, timestamp) }
            summary.sums.add(counts)
            summary.maxima.keepMaxima(with: counts)
        }
        return json(of: summary)
    }

    private func json(of summary: Summary) -> String {
        JSONText.object { json in
            json.member("phones", summary.states.values.reduce(0, +))
            json.member("states") { json in
                for state in PhoneActivity.State.allCases + [nil] {
                    if let count = summary.states[state] { json.member(state?.rawValue ?? PhoneBook.idle, count) }
                }
            }
            json.member("distinct_content_states", summary.contentStates.count)
            json.member("content_states", json: contentStates(of: summary))
            if let newest = summary.newest { json.member("newest_timestamp", Int(newest)) }
            json.member("sums") { summary.sums.describe(in: &$0) }
            json.member("maxima") { json in
                summary.maxima.describe(in: &json)
                summary.maxima.describeWorstSecond(in: &json)
            }
            reports.describe(in: &json)
        }
    }

    /// Those of most phones first.
    private func contentStates(of summary: Summary) -> String {
        let shown = summary.contentStates.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        let entries = shown.prefix(PhoneBook.shownStatesMaximum).map { state, count in
            JSONText.object { json in
                json.member("content_state", json: states.text(state))
                json.member("phones", count)
            }
        }
        return "[" + entries.joined(separator: ",") + "]"
    }
}
