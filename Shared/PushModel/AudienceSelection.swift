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
    /// for it and no matching subscription wants the alert. `matching` holds the devices that match each filter; those
    /// outside of `widest` may be missing in it.
    package func select(
        live: SegmentSet, members: [TopicName: TopicMembers], matching: [DeviceFilter: SegmentSet] = [:]
    ) -> AudienceSelection {
        let verdict = evaluate(live: live, members: members, matching: matching)
        let chosen = verdict.members.intersection(live)
        return AudienceSelection(
            members: chosen, silent: verdict.ignoring.subtracting(verdict.alerted).intersection(chosen))
    }

    /// The devices that it may select, depending on how the filters decide.
    package func widest(live: SegmentSet, members: [TopicName: TopicMembers]) -> SegmentSet {
        reach(live: live, members: members).most
    }

    /// Topics of which a segment with members has at least one; nil if a segment without any of them can have members.
    package var necessaryTopics: [TopicName]? {
        switch self {
        case .everyone, .not, .filter, .saved: nil
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

    private func evaluate(
        live: SegmentSet, members: [TopicName: TopicMembers], matching: [DeviceFilter: SegmentSet]
    ) -> Verdict {
        switch self {
        case .everyone: return Verdict(members: live)
        case .saved: return Verdict(members: SegmentSet())
        case .filter(let filter): return Verdict(members: matching[filter] ?? SegmentSet())
        case .topic(let topic):
            guard let found = members[topic] else { return Verdict(members: SegmentSet()) }
            return Verdict(
                members: found.members, alerted: found.members.subtracting(found.ignoring), ignoring: found.ignoring)
        case .not(let inner):
            let verdict = inner.evaluate(live: live, members: members, matching: matching)
            return Verdict(members: live.subtracting(verdict.members))
        case .all(let parts):
            var chosen = live
            let verdicts = parts.map { $0.evaluate(live: live, members: members, matching: matching) }
            for verdict in verdicts { chosen.formIntersection(verdict.members) }
            return Audience.join(verdicts, members: chosen)
        case .any(let parts):
            var chosen = SegmentSet()
            let verdicts = parts.map { $0.evaluate(live: live, members: members, matching: matching) }
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

    /// The devices that it selects at least and at most, however the filters decide.
    private func reach(
        live: SegmentSet, members: [TopicName: TopicMembers]
    ) -> (least: SegmentSet, most: SegmentSet) {
        switch self {
        case .everyone: return (live, live)
        case .saved: return (SegmentSet(), SegmentSet())
        case .filter: return (SegmentSet(), live)
        case .topic(let topic):
            let found = members[topic]?.members.intersection(live) ?? SegmentSet()
            return (found, found)
        case .not(let inner):
            let reach = inner.reach(live: live, members: members)
            return (live.subtracting(reach.most), live.subtracting(reach.least))
        case .all(let parts):
            return parts.reduce(into: (live, live)) { reach, part in
                let next = part.reach(live: live, members: members)
                reach.0.formIntersection(next.least)
                reach.1.formIntersection(next.most)
            }
        case .any(let parts):
            return parts.reduce(into: (SegmentSet(), SegmentSet())) { reach, part in
                let next = part.reach(live: live, members: members)
                reach.0.formUnion(next.least)
                reach.1.formUnion(next.most)
            }
        }
    }
}
