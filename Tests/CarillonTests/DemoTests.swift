import JSONKit
import Testing

@testable import carillon

@Suite struct DemoTests {
    @Test func devicesAreOfAllProvidersAndLanguagesAndSomeAreDead() {
        let devices = (0..<Demo.devicesCount).map { DemoDevice(number: $0) }
        #expect(Set(devices.map(\.token)).count == devices.count)
        #expect(Set(devices.map { "\($0.provider) \($0.language)" }).count == 12)
        #expect(Set(devices.filter(\.isDead).map(\.provider)).count == 3)
        #expect(Set(devices.map(\.topics.count)) == [1, 2, 3])
    }

    @Test func theSamplesAreJSON() throws {
        #expect(try JSON(RichieSample.body(app: "de\"mo"))["app_id"] == .string("de\"mo"))
        #expect(try JSON(LocalizedSample.body)["message"]?["title"]?["fr"]?.text == LocalizedSample.titles["fr"])
    }

    @Test func ofManyTokensOneIsShown() throws {
        let many = #"{"message":{"data":"d","token":["a","b","c"]}}"#
        #expect(ShownPush(try JSON(many)).text == #"{"message":{"data":"d","token":["a","and 2 more"]}}"#)
        for one in [#"{"message":{"token":["a"]}}"#, #"{"message":{"token":"a"}}"#, #"{"aps":{}}"#] {
            #expect(ShownPush(try JSON(one)).text == one)
        }
    }

    @Test func aPushToGoogleIsReported() throws {
        let push = try JSON(
            #"{"message":{"token":"a","data":{"task_id":"t","task_proof":"T5JNtDiDTRMiFA"}}}"#)
        let receipt = try #require(DemoReceipt(push, task: "t", devices: ["a": "J8lHY4X1XkU"]))
        #expect(
            receipt.body
                == #"{"receipts":[{"task":"t","device":"J8lHY4X1XkU","proof":"T5JNtDiDTRMiFA","kind":"opened"}]}"#)
        #expect(DemoReceipt(push, task: "u", devices: ["a": "J8lHY4X1XkU"]) == nil)
        #expect(DemoReceipt(push, task: "t", devices: [:]) == nil)
    }

    /// The same report with the simulator's count, with one too few, and with a device that has no outcome.
    @Test(arguments: [(8, 8, 2, true), (8, 7, 2, false), (7, 7, 2, false), (8, 8, 1, false)])
    func reportAndSimulatorMustAgree(delivered: Int, accepted: Int, invalid: Int, agrees: Bool) throws {
        let document = """
            {"id":"t","state":"closed","counts":{"targeted":10,"delivered":\(delivered),"invalid_removed":\(invalid)}}
            """
        let status = try #require(ReportedTask(try JSON(document)))
        #expect(DemoVerdict(status, accepted: accepted, living: 8).agrees == agrees)
    }
}
