import Bus
import PushModel
import Testing
import Topics

@testable import TargetingResolver

@Suite struct JobOutputTests {
    /// Only one lane has readers, whatever lane the received job names.
    @Test(arguments: Lane.allCases) func theNextJobTakesTheLaneOfJobs(lane: Lane) throws {
        let (task, app) = (TaskID(high: 1, low: 2), try AppID("news"))
        let output = JobOutput(of: task, app: app, lane: lane, trace: nil)
        let next = SegmentJob(task: task, app: app, lane: lane, job: 3, work: .part(0))
        #expect(output.message(next).channel == Topics.segments.channel(.bulk))
    }
}
