import Testing
import Topics

@Suite struct AdmissionStageTests {
    @Test func eachStageMayFillMoreThanTheOneBefore() {
        #expect(AdmissionStage.allCases.map { $0.percent(accepting: 70) } == [62, 70, 78, 86])
        #expect(AdmissionStage.allCases.map { $0.percent(accepting: 91) } == [89, 91, 93, 95])
        for accepting in 1...95 {
            let percents = AdmissionStage.allCases.map { $0.percent(accepting: accepting) }
            #expect(percents == percents.sorted() && percents.allSatisfy { 1...95 ~= $0 })
        }
    }

    @Test func topicsStandInTheOrderOfThePipeline() {
        #expect(Topics.tasks.declaration.stage == .accepting)
        #expect(Topics.segments.declaration.stage == .resolving && Topics.audience.declaration.stage == .resolving)
        for topic in [Topics.dispatchAPNs, Topics.dispatchAndroid, Topics.dispatchWeb] {
            #expect(topic.declaration.stage == .rendering)
        }
    }
}
