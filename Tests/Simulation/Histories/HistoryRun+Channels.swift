import HistoryJudge
import MemoryStore
import PushModel
import ServiceKit
import Store

extension HistoryRun {
    /// The channels that senders still have to delete: of activities that are over, and those that no activity has.
    func channelsOfNothing() throws -> [String] {
        let known = try world.registry.channels(in: population.space)
        let over = try known.keys.filter { place in
            try world.registry.facts(of: place.activity, in: population.space).map { $0.end != nil } ?? true
        }
        let stored = Set(known.values.compactMap { $0.id?.text })
        return over.map { "the channel of \($0.activity.text), which is over" }.sorted()
            + world.provider.channels.open.filter { !stored.contains($0) }.map { "\($0) at Apple, of no activity" }
    }

    /// The channels that phones of the activity were told of.
    func judgedChannels(_ starts: [JudgedActivity.StatePush]) -> [JudgedActivity.Channel] {
        let channels = world.provider.channels
        return Set(starts.compactMap(\.channel)).sorted().map { name in
            JudgedActivity.Channel(
                name: name, isOpen: channels.open.contains(name), isForgotten: channels.forgotten.contains(name),
                refusals: channels.refusals.filter { $0.channel == name }.map {
                    JudgedPush(time: $0.time, sender: $0.process)
                })
        }
    }
}
