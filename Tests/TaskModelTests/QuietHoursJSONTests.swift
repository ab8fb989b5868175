import JSONKit
import LocalTime
import TaskModel
import Testing

@Suite struct QuietHoursJSONTests {
    private static let night = #"{"start":1320,"end":0,"time_zone":"Europe/Helsinki"}"#

    private func read(_ text: String) throws -> (hours: QuietHours?, paths: [String]) {
        let problems = JSONProblems()
        let hours = QuietHours(JSONFields(try JSON(text), path: "quiet_hours", problems: problems))
        return (hours, problems.all.map(\.path))
    }

    @Test func quietHoursComeBackAsTheyWere() throws {
        let hours = QuietHours(start: 22 * 60, end: 0, timeZone: "Europe/Helsinki")
        #expect(hours.json.compactText == QuietHoursJSONTests.night)
        #expect(try read(QuietHoursJSONTests.night) == (hours, []))
    }

    @Test(arguments: [
        (#"{"end":0,"time_zone":"UTC"}"#, "start"), (#"{"start":0,"time_zone":"UTC"}"#, "end"),
        (#"{"start":0,"end":1}"#, "time_zone"), (#"{"start":-1,"end":0,"time_zone":"UTC"}"#, "start"),
        (#"{"start":0,"end":1440,"time_zone":"UTC"}"#, "end"),
        (#"{"start":0,"end":1,"time_zone":"../x"}"#, "time_zone"),
    ])
    func aWrongFieldIsNamed(text: String, field: String) throws {
        #expect(try read(text) == (nil, ["quiet_hours.\(field)"]))
    }
}
