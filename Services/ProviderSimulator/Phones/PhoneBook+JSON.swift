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
    private func entries(ofActivity id: String?) -> some Sequence<(phone: Phone, activity: PhoneActivity?)> {
        phones.lazy.flatMap { phone -> [(phone: Phone, activity: PhoneActivity?)] in
            let activities = phone.activities.filter { $0.id == id ?? $0.id }
            if id == nil, activities.isEmpty { return [(phone, nil)] }
            return activities.map { (phone, $0) }
        }
    }

    func json(ofActivity id: String?, limit: Int) -> String {
        let entries = entries(ofActivity: id).prefix(limit)
        return "[" + entries.map { json(of: $0.phone, $0.activity) }.joined(separator: ",\n") + "]"
    }

    private func json(of phone: Phone, _ activity: PhoneActivity?) -> String {
        JSONText.object { json in
            phone.describeTokens(in: &json)
            if let device = phone.device { json.member("device", device) }
            json.member("state", activity?.state.rawValue ?? PhoneBook.idle)
            if let activity { describe(activity, in: &json) }
            let counts = phone.counts(with: activity)
            for count in PushCounts.sums { json.member(count.name, Int(counts[keyPath: count.path])) }
            json.member(PhoneBook.worstSecond, Int(counts.worstSecond))
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
    private static let worstSecond = "worst_second"
    private static let shownStatesMaximum = 20
}

extension PhoneBook {
    /// The phones, or those with one activity, taken together.
    private struct Summary {
        var states: [String: Int] = [:]
        var contentStates: [Int: Int] = [:]
        var newest: Int64?
        var sums = PushCounts()
        var maxima: [UInt32] = PushCounts.sums.map { _ in 0 }
    }

    func summary(ofActivity id: String?) -> String {
        var summary = Summary()
        for (phone, activity) in entries(ofActivity: id) {
            let counts = phone.counts(with: activity)
            summary.states[activity?.state.rawValue ?? PhoneBook.idle, default: 0] += 1
            if let state = activity?.contentState { summary.contentStates[state, default: 0] += 1 }
            if let timestamp = activity?.timestamp { summary.newest = max(summary.newest ?? timestamp, timestamp) }
            summary.sums.add(counts)
            for (place, count) in PushCounts.sums.enumerated() {
                summary.maxima[place] = max(summary.maxima[place], counts[keyPath: count.path])
            }
        }
        return json(of: summary)
    }

    private func json(of summary: Summary) -> String {
        JSONText.object { json in
            json.member("phones", summary.states.values.reduce(0, +))
            json.member("states") { json in
                for (state, count) in summary.states.sorted(by: { $0.key < $1.key }) { json.member(state, count) }
            }
            json.member("distinct_content_states", summary.contentStates.count)
            json.member("content_states", json: contentStates(of: summary))
            if let newest = summary.newest { json.member("newest_timestamp", Int(newest)) }
            json.member("sums") { json in
                for count in PushCounts.sums { json.member(count.name, Int(summary.sums[keyPath: count.path])) }
            }
            json.member("maxima") { json in
                for (count, maximum) in zip(PushCounts.sums, summary.maxima) { json.member(count.name, Int(maximum)) }
                json.member(PhoneBook.worstSecond, Int(summary.sums.worstSecond))
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
