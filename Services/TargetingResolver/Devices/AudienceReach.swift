import PushModel
import Store

/// The devices of one segment that an audience can select, as far as this is known without their records.
struct AudienceReach: Sendable {
    /// Without filters the selected devices; else those that it may select.
    let selection: AudienceSelection
    /// From which the filters are decided; nil if the audience has none.
    let undecided: SegmentMembers?

    init(_ audience: Audience, in found: SegmentMembers) {
        guard !audience.filters.isEmpty else {
            selection = audience.select(live: found.live, members: found.topics)
            undecided = nil
            return
        }
        selection = AudienceSelection(
            members: audience.widest(live: found.live, members: found.topics), silent: SegmentSet())
        undecided = found
    }
}
