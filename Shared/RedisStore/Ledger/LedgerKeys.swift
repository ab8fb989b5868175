import PushModel
import RedisClient

/// All keys of the ledger. The keys of a segment share its hash tag with the registry's keys of that segment, so that
/// the script that claims a device can count its badge. The keys of a whole task share the task's hash tag.
struct LedgerKeys {
    /// The parts of the key names before the first colon.
    static let families = ["led", "clm", "det", "dfr", "task", "jobs", "segs", "sums"]

    /// A string: header and states; see `Scripts/Ledger/ledger.lua`.
    let states: RedisArgument
    /// A hash: the claim's name, owner and number in 16 bytes, to lease end (u48 ms), attempt (u8) and ranges of
    /// offsets. The key is absent while no device is claimed.
    let claims: RedisArgument
    /// A hash: offset to attempt (u8), time (u48 ms), status (u16) and reason, for devices that have a detail. The only
    /// device of a ledger has its detail in the ledger's string instead. The field `told` holds the devices whose
    /// outcome was published on `results`, and the fields that `Scripts/Ledger/providers.lua` describes devices by
    /// provider.
    let details: RedisArgument
    static let reportedField = "told"
    /// A hash: the deferred devices; see `Scripts/Ledger/deferrals.lua`. Absent while no device is deferred.
    let deferrals: RedisArgument
    static let deferralSumsField = "sums"

    init(_ task: TaskID, segment: SegmentID) {
        let place = "{\(segment)}:\(task.key)"
        states = RedisArgument("led:\(place)")
        claims = RedisArgument("clm:\(place)")
        details = RedisArgument("det:\(place)")
        deferrals = RedisArgument("dfr:\(place)")
    }

    /// The keys of the whole task.
    struct Whole {
        /// A hash: packed `plan`, number of `jobs`, number of `resolved` jobs, `cancelled`, time of closing in
        /// `closed`, final counts in `totals`, numbers of devices by provider in `providers`, those by reason in
        /// `reasons`, number of list entries without a device in `unmatched`, unless it is zero. A small task also has `meant`, its devices until its job is
        /// resolved, and, once it is closed, `segments`, separated by commas.
        let task: RedisArgument
        /// A bitmap of the resolved jobs, in Redis bit order. Removed once all are resolved; never created for one job.
        let jobs: RedisArgument
        /// A set: numbers of the segments that may have open devices.
        let open: RedisArgument
        /// A hash: segment number to final counts. Removed when the task is closed.
        let sums: RedisArgument

        init(_ task: TaskID) {
            self.task = RedisArgument("task:{\(task.key)}")
            jobs = RedisArgument("jobs:{\(task.key)}")
            open = RedisArgument("segs:{\(task.key)}")
            sums = RedisArgument("sums:{\(task.key)}")
        }

        var all: [RedisArgument] { [task, jobs, open, sums] }
    }
}
