import JSONKit
import PushModel
import TaskModel
import Testing
import Topics

/// Payloads of Apple devices in the form that apps of pushd read: the alert is the body as a string.
@Suite struct PlainAlertTests {
    private func task(_ message: String) throws -> RenderedTask {
        var task = try RenderedTask(message: message)
        task.task.content.hasPlainAppleAlert = true
        return task
    }

    @Test func theAlertIsTheBodyWithoutTheTitle() throws {
        var task = try task(
            #"{"title":"T","body":{"default":"B","fr":"C"},"data":{"k":"v"},"badge":"increment","sound":"s.caf"}"#)
        task.task.content.wakesAppleApp = true
        let expected = try JSON(
            #"""
            {"k":"v","task_id":"00f5c216-ee53-4e29-af13-f109d5563a9e",
            "aps":{"alert":"B","content-available":1,"sound":"s.caf","badge":3}}
            """#)
        #expect(try task.payload(.apns, badge: 3) == expected)
        #expect(try task.payload(.apns, language: "fr_CA")["aps"]?["alert"] == .string("C"))
        #expect(try task.variant(.apns).pushType == "alert")
        #expect(try task.payload(.fcm)["message"]?["notification"]?["title"] == .string("T"))
    }

    /// Goal: an ignored message leaves data and badge, and the badge makes it a push that Apple accepts.
    @Test func aSilentDeviceGetsDataAndBadge() throws {
        let task = try task(#"{"body":"B","data":{"k":"v"},"badge":"increment"}"#)
        let aps = try #require(try task.payload(.apns, isSilent: true, badge: 3)["aps"])
        #expect(aps["alert"] == nil)
        #expect(aps["badge"] == .integer(3))
        #expect(try task.variant(.apns, isSilent: true).pushType == "alert")
        #expect(try task.payload(.fcm, isSilent: true)["message"]?["notification"] == nil)
    }

    @Test func withoutABadgeASilentEventIsABackgroundPush() throws {
        let task = try task(#"{"data":{"k":"v"},"silent":true}"#)
        #expect(try task.variant(.apns).pushType == "background")
        #expect(try task.payload(.fcm)["message"]?["data"]?["k"] == .string("v"))
        #expect(try task.payload(.fcm)["message"]?["notification"] == nil)
    }

    /// A text in one language only: the others have nothing to show.
    @Test func anEmptyStandardTextShowsNothing() throws {
        let task = try task(#"{"body":{"default":"","fr":"C"},"data":{"k":"v"}}"#)
        #expect(try task.payload(.apns, language: "fr")["aps"]?["alert"] == .string("C"))
        #expect(try task.payload(.apns, language: "de")["aps"]?["alert"] == nil)
        #expect(try task.payload(.fcm, language: "de")["message"]?["notification"] == nil)
    }

    @Test func aTitleAloneIsForAndroid() throws {
        let task = try task(#"{"title":"T","data":{"k":"v"},"badge":"increment"}"#)
        #expect(try task.payload(.apns)["aps"]?["alert"] == nil)
        #expect(try task.payload(.fcm)["message"]?["notification"]?["title"] == .string("T"))
    }
}
