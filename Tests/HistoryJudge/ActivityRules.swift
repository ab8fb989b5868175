/// What holds for a Live Activity.
struct ActivityRules {
    /// A state that was claimed before a newer one may still be under way.
    private static let grace = Duration.seconds(60)
    /// A sender stores that a channel is lost, and others look again.
    private static let lossGrace = Duration.seconds(20)
    /// In seconds. States are sent at the beginning of a second, and each start may follow one at once.
    private static let leadMaximum: Int64 = 1

    private let evidence: Evidence
    private let activity: JudgedActivity

    init(_ activity: JudgedActivity, in evidence: Evidence) {
        self.activity = activity
        self.evidence = evidence
    }

    func violations() -> [Violation] {
        stored() + requests() + timestamps() + activity.phones.flatMap { self.phone($0) }
            + activity.mirrors.compactMap { mirror($0) } + activity.channels.flatMap { channel($0) }
    }

    private func violation(_ rule: Violation.Rule, _ detail: String) -> Violation {
        Violation(rule, "\(activity.name): \(detail)")
    }

    private func stored() -> [Violation] {
        var found: [Violation] = []
        if !ends.isEmpty, !activity.hasEnded { found.append(violation(.lastStateCounts, "the end is not stored")) }
        guard let last = activity.stored, let request = activity.requests.first(where: { $0.state == last }) else {
            if let first = activity.requests.first, activity.stored == nil {
                found.append(violation(.lastStateCounts, "state \(first.state) is not stored"))
            }
            return found
        }
        // After an end only a start has another state.
        let later = activity.requests.filter {
            request.answered < $0.asked && ($0.kind != .update || request.kind != .end)
        }
        if let later = later.first {
            found.append(violation(.lastStateCounts, "state \(last) is stored after state \(later.state)"))
        }
        return found
    }

    /// Those after which nothing may follow: with a start the activity begins anew.
    private var ends: [JudgedActivity.Request] {
        activity.requests.filter { end in
            end.kind == .end && activity.requests.allSatisfy { $0.kind != .start || $0.answered < end.asked }
        }
    }

    private func requests() -> [Violation] {
        activity.requests.compactMap { request in
            ends.contains { $0.answered < request.asked }
                ? violation(.nothingFollowsEnd, "state \(request.state) was accepted") : nil
        }
    }

    private func timestamps() -> [Violation] {
        let pushes = activity.starts + activity.phones.flatMap(\.pushes) + activity.mirrors.flatMap(\.pushes)
        let states = Dictionary(grouping: pushes, by: \.timestamp).mapValues { Set($0.map(\.state)) }
        var found = states.filter { $0.value.count > 1 }.sorted { $0.key < $1.key }.map { timestamp, states in
            violation(.timestampsRise, "states \(states.sorted()) have timestamp \(timestamp)")
        }
        let times = Dictionary(grouping: pushes, by: \.state).mapValues { $0.map(\.timestamp) }
        for earlier in activity.requests {
            for later in activity.requests where earlier.answered < later.asked {
                guard let last = times[earlier.state]?.max(), let first = times[later.state]?.min(), last >= first
                else { continue }
                found.append(
                    violation(.timestampsRise, "state \(earlier.state) at \(last), state \(later.state) at \(first)"))
            }
        }
        let endStates = Set(ends.map(\.state))
        if let end = pushes.filter({ endStates.contains($0.state) }).map(\.timestamp).min(),
            let late = pushes.first(where: { !$0.isEnd && $0.timestamp > end })
        {
            found.append(violation(.nothingFollowsEnd, "state \(late.state) has a later timestamp"))
        }
        return found + pushes.compactMap { ahead($0) }
    }

    private func ahead(_ push: JudgedActivity.StatePush) -> Violation? {
        guard evidence.disturbances.clockError == .zero else { return nil }
        let starts = activity.requests.count { $0.kind == .start }
        let latest = push.push.time.components.seconds + ActivityRules.leadMaximum + Int64(max(1, starts))
        guard push.timestamp > latest else { return nil }
        return violation(
            .timestampsKeepTime, "state \(push.state) has timestamp \(push.timestamp) at \(push.push.time)")
    }

    private func phone(_ phone: JudgedActivity.Phone) -> [Violation] {
        var found = lateStates(of: phone)
        if let isLast = phone.isLast, phone.isRegistered != isLast, phone.isReliable || !isLast {
            found.append(violation(.lastTokenCounts, "\(phone.name) is \(isLast ? "missing" : "left")"))
        }
        // A start is sent to the device, not to its token of the activity.
        let isStart = activity.requests.contains { $0.kind == .start && $0.state == activity.stored }
        if phone.isRegistered, phone.isReliable, !isStart, let last = activity.stored {
            let shown = phone.pushes.max { $0.timestamp < $1.timestamp }
            if shown?.state != last {
                let text = shown.map { "state \($0.state)" } ?? "nothing"
                found.append(violation(.phonesShowLastState, "\(phone.name) shows \(text) in place of state \(last)"))
            }
        }
        return found
    }

    private func mirror(_ mirror: JudgedActivity.Mirror) -> Violation? {
        guard mirror.isReliable, let last = activity.requests.first(where: { $0.state == activity.stored }),
            last.kind != .start,
            activity.requests.contains(where: { $0.kind == .start && $0.answered < last.asked })
        else { return nil }
        let shown = mirror.pushes.max { $0.timestamp < $1.timestamp }
        guard shown?.state != last.state else { return nil }
        return violation(
            .mirrorsShowLastState,
            "\(mirror.name) shows \(shown.map { "state \($0.state)" } ?? "nothing") in place of state \(last.state)")
    }

    private func channel(_ channel: JudgedActivity.Channel) -> [Violation] {
        var found: [Violation] = []
        if !channel.isOpen, !channel.isForgotten, !activity.hasEnded, isOfLastStart(channel) {
            found.append(violation(.channelsAreKept, "\(channel.name) is deleted"))
        }
        let refused = channel.refusals.first { !evidence.disturbances.interrupts($0) }
        let late = activity.starts.first { push in
            guard let refused, push.channel == channel.name else { return false }
            return refused.time + ActivityRules.lossGrace < push.push.time
                && !evidence.disturbances.interrupts(push.push)
        }
        if let late {
            found.append(
                violation(.lostChannelsAreForgotten, "\(channel.name) was refused before \(late.push.time)"))
        }
        return found
    }

    /// True if a phone was told of the channel by a start that came after all ends.
    private func isOfLastStart(_ channel: JudgedActivity.Channel) -> Bool {
        let ends = activity.requests.filter { $0.kind == .end }
        return activity.starts.contains { push in
            guard push.channel == channel.name,
                let start = activity.requests.first(where: { $0.state == push.state && $0.kind == .start })
            else { return false }
            return ends.allSatisfy { $0.answered < start.asked }
        }
    }

    private func lateStates(of phone: JudgedActivity.Phone) -> [Violation] {
        phone.pushes.compactMap { old in
            guard !evidence.disturbances.affects(old.push) else { return nil }
            let isLate = phone.pushes.contains { newer in
                newer.timestamp > old.timestamp && newer.push.time + ActivityRules.grace < old.push.time
            }
            return isLate
                ? violation(.oldStatesGiveWay, "\(phone.name) got state \(old.state) long after a newer one") : nil
        }
    }
}
