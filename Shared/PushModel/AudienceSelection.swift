/// The devices of one segment that an audience selects.
package struct AudienceSelection: Hashable, Sendable {
    package var members: SegmentSet
    /// Members that receive data and badge but no alert.
    package var silent: SegmentSet

    package init(members: SegmentSet, silent: SegmentSet) {
        self.members = members
        self.silent = silent
    }
}

/// The subscribers of a topic in a segment, and those of them without alerts.
package struct TopicMembers: Hashable, Sendable {
    package var members: SegmentSet
    package var ignoring: SegmentSet

    package init(members: SegmentSet, ignoring: SegmentSet) {
        self.members = members
        self.ignoring = ignoring
    }
}

extension Audience {
    /// Selects only live devices, whatever the topics still contain. A member is silent if a matching subscription asks
    /// for it and no matching subscription wants the alert.
    package func select(live: SegmentSet, members: [TopicName: TopicMembers]) -> AudienceSelection {
        let verdict = evaluate(live: live, members: members)
        let chosen = verdict.members.intersection(live)
        return AudienceSelection(
            members: chosen, silent: verdict.ignoring.subtracting(verdict.alerted).intersection(chosen))
    }

    /// Topics of which a segment with members has at least one; nil if a segment without any of them can have members.
    package var necessaryTopics: [TopicName]? {
        switch self {
        case .everyone, .not: nil
        case .topic(let topic): [topic]
        case .all(let parts):
            // The narrowest part would be best, but it is not known here.
            parts.lazy.compactMap(\.necessaryTopics).first
        case .any(let parts):
            parts.reduce([TopicName]?.some([])) { known, part in
                guard let known, let more = part.necessaryTopics else { return nil }
                return known + more
            }
        }
    }

    /// Alert preferences of matching subscriptions; `not` and `everyone` have none.
    private struct Verdict {
        var members: SegmentSet
        var alerted = SegmentSet()
        var ignoring = SegmentSet()
    }

    private func evaluate(live: SegmentSet, members: [TopicName: TopicMembers]) -> Verdict {
        switch self {
        case .everyone: return Verdict(members: live)
        case .topic(let topic):
            guard let found = members[topic] else { return Verdict(members: SegmentSet()) }
            return Verdict(
                members: found.members, alerted: found.members.subtracting(found.ignoring), ignoring: found.ignoring)
        case .not(let inner):
            return Verdict(members: live.subtracting(inner.evaluate(live: live, members: members).members))
        case .all(let parts):
            var chosen = live
            let verdicts = parts.map { $0.evaluate(live: live, members: members) }
            for verdict in verdicts { chosen.formIntersection(verdict.members) }
            return Audience.join(verdicts, members: chosen)
        case .any(let parts):
            var chosen = SegmentSet()
            let verdicts = parts.map { $0.evaluate(live: live, members: members) }
            for verdict in verdicts { chosen.formUnion(verdict.members) }
            return Audience.join(verdicts, members: chosen)
        }
    }

    private static func join(_ verdicts: [Verdict], members: SegmentSet) -> Verdict {
        var joined = Verdict(members: members)
        for verdict in verdicts {
            joined.alerted.formUnion(verdict.alerted.intersection(verdict.members))
            joined.ignoring.formUnion(verdict.ignoring.intersection(verdict.members))
        }
        return joined
    }
}
