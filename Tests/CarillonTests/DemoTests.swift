import JSONKit
import Testing

@testable import Carillon

@Suite struct DemoTests {
    private static let endpoints = [
        "webpush": "https://w/push/", "wns": "https://n/?token=", "mpns": "https://m/", "http": "https://h/",
    ]

    @Test func devicesAreOfAllProvidersAndLanguagesAndSomeAreDead() {
        let devices = (0..<Demo.devicesCount).map { DemoDevice(number: $0) }
        #expect(Set(devices.map { $0.token(DemoTests.endpoints) }).count == devices.count)
        #expect(Set(devices.map { "\($0.provider) \($0.language)" }).count == 28)
        #expect(Set(devices.filter(\.isDead).map(\.provider)).count == 7)
        #expect(Dictionary(grouping: devices, by: \.provider).values.allSatisfy { $0.count == 500 })
        #expect(Set(devices.map(\.topics.count)) == [1, 2, 3])
    }

    @Test func addressesAreEscapedInForms() throws {
        let subscription = try JSON(#"{"endpoint":"https://w/push/demo-3","keys":{"p256dh":"BA-_","auth":"c2"}}"#)
        let keys = try #require(DemoBrowserKeys(subscription))
        let browser = DemoDevice(number: 3).form(DemoTests.endpoints, keys: keys)
        #expect(
            browser
                == "proto=webpush&token=https%3A%2F%2Fw%2Fpush%2Fdemo-00000003&lang=en&p256dh=BA-_&auth=c2")
        let phone = DemoDevice(number: 5).form(DemoTests.endpoints, keys: nil)
        #expect(phone == "proto=mpns&token=https%3A%2F%2Fm%2Fdemo-00000005&lang=en&version=8.1")
        #expect(DemoDevice(number: 200).name == "gone-000000c8")
        #expect(DemoBrowserKeys(try JSON(#"{"keys":{"auth":"c2"}}"#)) == nil)
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
        #expect(ShownPush(.string("<toast/>")).text == "<toast/>")
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

    /// The same report with the simulator's count, with one too few, with a device that has no outcome, and with a
    /// push for another provider than its device's.
    @Test(arguments: [
        (8, 5, 3, 2, true), (8, 5, 2, 2, false), (7, 5, 2, 2, false), (8, 5, 3, 1, false), (8, 6, 2, 2, false),
    ])
    func reportAndSimulatorMustAgree(delivered: Int, apns: Int, webpush: Int, invalid: Int, agrees: Bool) throws {
        let document = """
            {"id":"t","state":"closed","counts":{"targeted":10,"delivered":\(delivered),"invalid_removed":\(invalid)}}
            """
        let status = try #require(ReportedTask(try JSON(document)))
        let accepted = ["apns": apns, "webpush": webpush, "wns": 0]
        let verdict = DemoVerdict(status, accepted: accepted, living: ["apns": 5, "webpush": 3])
        #expect(verdict.agrees == agrees)
        #expect(verdict.lines.count == 6)
    }
}
