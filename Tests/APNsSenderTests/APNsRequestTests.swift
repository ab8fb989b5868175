import HTTP2
import ProviderKit
import PushModel
import ServiceKit
import TestSupport
import Testing
import Topics

@testable import APNsSender

/// The requests that Apple receives, decoded by a real server.
@Suite struct APNsRequestTests {
    struct Kind: Sendable, CustomTestStringConvertible {
        let type: String
        let topic: String
        var priority = "10"

        var testDescription: String { type }
    }

    static let kinds = [
        Kind(type: "alert", topic: "com.example.news"),
        Kind(type: "background", topic: "com.example.news", priority: "5"),
        Kind(type: "voip", topic: "com.example.news.voip"),
        Kind(type: "complication", topic: "com.example.news.complication"),
        Kind(type: "fileprovider", topic: "com.example.news.pushkit.fileprovider"),
        Kind(type: "location", topic: "com.example.news.location-query"),
        Kind(type: "liveactivity", topic: "com.example.news.push-type.liveactivity"),
        Kind(type: "pushtotalk", topic: "com.example.news.voip-ptt"),
        Kind(type: "controls", topic: "com.example.news.push-type.controls"),
        Kind(type: "widgets", topic: "com.example.news.push-type.widgets"),
        Kind(type: "mdm", topic: "com.example.news"),
    ]

    @Test func eachKindHasItsHeaders() async throws {
        let authority = try await TestAuthority()
        let requests = Monitor<[String: HTTP2ServerRequest]>([:])
        let apple = try ScriptedApple(authority) { request, _ in
            requests.change { $0[request.headers["apns-push-type"] ?? ""] = request }
            return .accepted
        }
        let fixture = try await SenderFixture(authority, apple: apple)
        let gateway = try #require(await fixture.gateways.apns(fixture.app))
        let pushes = APNsRequestTests.kinds.map { push(type: $0.type) }
        #expect(await gateway.admit(pushes.count, lane: .bulk) == .admitted(pushes.count))
        #expect(await gateway.send(pushes).allSatisfy { $0 == .answered(.delivered) })
        for kind in APNsRequestTests.kinds {
            let request = try #require(requests.withLock { $0[kind.type] })
            #expect(request.method == "POST")
            #expect(request.path == "/3/device/" + PushLoad.token(10))
            #expect(request.headers["apns-topic"] == kind.topic)
            #expect(request.headers["apns-priority"] == kind.priority, "\(kind.type)")
            #expect(request.headers["apns-expiration"] == "1900000000")
            #expect(request.headers["apns-collapse-id"] == "score")
            #expect(request.headers["apns-id"] == "00000000-0000-00ff-0000-00000000abcd")
            #expect(request.headers["authorization"]?.hasPrefix("bearer ey") == true)
            #expect(request.body == Array("{}".utf8))
        }
        await fixture.end()
        await apple.server.close()
    }

    @Test func whatIsNotSetIsNotSent() {
        var form = APNsRequest(topic: "com.example.news", token: nil, limit: .seconds(1))
        let request = form.make(push(type: "", priority: .normal, collapseID: "", expiration: 0))
        #expect(request.sharedHeaders["apns-push-type"] == "alert")
        #expect(request.sharedHeaders["apns-priority"] == "5")
        #expect(request.sharedHeaders["apns-expiration"] == "0")
        #expect(request.sharedHeaders["apns-collapse-id"] == nil)
        #expect(request.sharedHeaders["authorization"] == nil)
    }

    @Test func variantsDoNotBorrowEachOthersHeaders() {
        var form = APNsRequest(topic: "com.example.news", token: nil, limit: .seconds(1))
        _ = form.make(push(type: "alert"))
        #expect(form.make(push(type: "voip")).sharedHeaders["apns-topic"] == "com.example.news.voip")
        #expect(form.make(push(type: "alert", collapseID: "b")).sharedHeaders["apns-collapse-id"] == "b")
        #expect(form.make(push(type: "alert", expiration: 5)).sharedHeaders["apns-expiration"] == "5")
    }

    @Test func whatWouldHarmAConnectionIsNotSent() {
        let long = String(repeating: "x", count: 70_000)
        var screen = APNsValidator()
        let reasons = [
            push(type: "alert"), push(type: "alert", token: "../x"), push(type: "a\r\nb"), push(type: long),
            push(type: "alert", collapseID: long), push(type: "alert", collapseID: "a\nb"), push(type: "alert"),
        ].map { screen.obstacle($0)?.reason }
        #expect(
            reasons == [
                nil, "BadPath", "InvalidPushType", "InvalidPushType", "BadCollapseId", "BadCollapseId", nil,
            ])
    }

    private func push(
        type: String, token: String = PushLoad.token(10), priority: RenderedVariant.Priority = .high,
        collapseID: String = "score", expiration: UInt32 = 1_900_000_000
    ) -> Push {
        Push(
            id: TaskID(high: 0xFF, low: 0xABCD), token: token, isSandbox: false,
            content: PushContent(
                RenderedVariant(
                    kind: .apns, priority: priority, pushType: type, collapseID: collapseID, expiration: expiration,
                    payload: PayloadTemplate(Array("{}".utf8)))),
            badge: 0)
    }
}

extension ProviderAnswer {
    static let delivered = ProviderAnswer(.delivered, reason: "", status: 200)
}
