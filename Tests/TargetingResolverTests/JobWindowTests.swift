import PushModel
import Testing
import Topics

@testable import TargetingResolver

@Suite struct JobWindowTests {
    /// Goal: following every chain to its end reaches each job once, whatever the ratio of jobs to the window.
    @Test(arguments: [(0, 0), (0, 3), (1, 0), (15, 1), (16, 0), (17, 2), (500, 40), (0, 16), (3, 17), (0, 625)])
    func everyJobIsInOneChain(segments: Int, parts: Int) throws {
        let numbers = (0..<segments).map { SegmentNumber(rawValue: UInt32($0 * 3)) }
        let heads = JobWindow.heads(
            of: TaskID(high: 1, low: 1), app: try AppID("news"), segments: numbers, parts: parts, window: 16)
        #expect(heads.count == min(16, segments) + min(16, parts))
        var met: [Int: SegmentJob.Work] = [:]
        for head in heads {
            var job: SegmentJob? = head
            while let current = job {
                #expect(met.updateValue(current.work, forKey: current.job) == nil)
                job = current.next
            }
        }
        #expect(met.keys.sorted() == Array(0..<segments + parts))
        for (job, work) in met {
            switch work {
            case .segments(let chain, _): #expect(chain.first == numbers[job])
            case .part(let part, _): #expect(part == job - segments)
            }
        }
    }
}
