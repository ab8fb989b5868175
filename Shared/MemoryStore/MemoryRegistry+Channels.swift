package import PushModel
import ServiceKit
package import Store

extension MemoryRegistry: ActivityChannels {
    package func channel(of place: ChannelPlace, in space: AppID) throws(StoreError) -> ActivityChannel? {
        try read(space) { $0.activities.channels[place] }
    }

    package func replace(
        _ channel: ActivityChannel?, by next: ActivityChannel?, of place: ChannelPlace, in space: AppID
    ) throws(StoreError) -> Bool {
        try write(space) { state in
            guard state.activities.channels[place] == channel else { return false }
            state.activities.channels[place] = next
            return true
        }
    }

    package func channels(in space: AppID) throws(StoreError) -> [ChannelPlace: ActivityChannel] {
        try read(space) { $0.activities.channels }
    }

    package func reserve(
        _ place: ChannelPlace, for time: Duration, in space: AppID
    ) throws(StoreError) -> Bool {
        let now = self.time.now
        return try write(space) { state in
            if let end = state.activities.reservations[place], now < end { return false }
            state.activities.reservations[place] = now + time
            return true
        }
    }

    package func giveBack(_ place: ChannelPlace, in space: AppID) throws(StoreError) {
        try write(space) { $0.activities.reservations[place] = nil }
    }
}
