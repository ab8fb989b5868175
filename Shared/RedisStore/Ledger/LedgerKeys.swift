import PushModel
import RedisClient

/// Every key of the ledger. The keys of one segment share its hash tag with the registry's keys of that segment, so
/// that the script that claims a device can count its badge; those of a task as a whole share the task's.
struct LedgerKeys {
    /// What the names of all keys begin with, up to the colon.
    static let families = ["led", "clm", "det", "task", "jobs", "segs", "sums"]

    /// A string: header and states, see `LedgerScripts`.
    let states: RedisArgument
    /// A hash: the claim's name, owner and number in 16 bytes, to lease end (u48 ms), attempt (u8) and ranges of
    /// offsets. Gone while nobody holds anything.
    let claims: RedisArgument
    /// A hash: offset to attempt (u8), time (u48 ms), status (u16) and reason, of devices there is something to tell
    /// of. A device that is alone in its ledger has its detail in the ledger's string instead. In `told` which devices
    /// are told of on `results`.
    let details: RedisArgument
    static let toldField = "told"

    init(_ task: TaskID, segment: SegmentID) {
        let place = "{\(segment)}:\(task.key)"
        states = RedisArgument("led:\(place)")
        claims = RedisArgument("clm:\(place)")
        details = RedisArgument("det:\(place)")
    }

    /// The keys of a task as a whole.
    struct Whole {
        /// A hash: `plan` packed, `jobs`, `resolved` how many of them, `cancelled`, `closed` the time, `totals` the
        /// counts since then; of a task for few `meant`, whom it means until its job is resolved, and `segments` once it
        /// is closed, with commas.
        let task: RedisArgument
        /// A bitmap: the jobs that are resolved, in Redis' order of bits. Gone once all are, and never there for one job.
        let jobs: RedisArgument
        /// A set: numbers of segments that may have open devices.
        let open: RedisArgument
        /// A hash: segment number to final counts. Gone once the task is closed.
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
