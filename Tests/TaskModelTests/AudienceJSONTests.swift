import JSONKit
import PushModel
import ServiceKit
import TaskModel
import Testing

@Suite struct AudienceJSONTests {
    /// Goal: an audience in a stored task means what it meant in the request.
    @Test(arguments: [
        #"{"all":true}"#, #"{"topic":"news"}"#, #"{"not":{"topic":"news"}}"#, #"{"platform":"ios"}"#,
        #"{"language":"pt-BR"}"#, #"{"app_version":{"from":"2.10.1","below":"3"}}"#, #"{"app_version":{"below":"3"}}"#,
        #"{"seen":{"within":"30d"}}"#, #"{"registered":{"before":"2026-01-01T00:00:00.000Z"}}"#,
        #"{"seen":{"since":"2026-01-01T00:00:00.000Z","before":"2026-02-01T00:00:00.000Z"}}"#,
        #"{"time_zone":"Europe/*"}"#, #"{"user":false}"#,
        #"{"all_of":[{"topic":"a"},{"any":[{"user":true},{"not":{"language":"fr"}}]}]}"#,
    ])
    func anAudienceComesBackAsItWas(text: String) throws {
        let problems = JSONProblems()
        let audience = try #require(Audience(JSONFields(try JSON(text), problems: problems)))
        #expect(problems.all.isEmpty)
        #expect(audience.json.compactText == text)
    }

    @Test func aFilterIsNoMoreThanOneMember() throws {
        let problems = JSONProblems()
        #expect(Audience(JSONFields(try JSON(#"{"user":true,"platform":"ios"}"#), problems: problems)) == nil)
        #expect(problems.all.count == 1)
    }
}
