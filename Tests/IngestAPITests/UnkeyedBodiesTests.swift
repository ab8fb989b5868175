import HTTPServer
import Testing

@testable import IngestAPI

/// The bound of bodies whose sender is not known yet.
@Suite struct UnkeyedBodiesTests {
    private func request(_ length: String?, from peer: String) -> HTTPRequest {
        let headers = length.map { HTTPHeaders(["Content-Length": $0]) } ?? HTTPHeaders()
        return HTTPRequest(method: .post, path: "/json/1.3/startLiveActivity", headers: headers, peer: peer)
    }

    @Test func anAddressHasAShare() throws {
        let bodies = UnkeyedBodies()
        let shares = UnkeyedBodies.shareMaximum / UnkeyedBodies.bodyBytesMaximum
        // Without a length a body may be as large as any; one that is refused for its length takes no more.
        let held = try ["", "x", "\(1 << 30)", nil].map { try bodies.reserve(for: request($0, from: "192.0.2.1")) }
        #expect(held.count == shares)
        #expect(throws: BodyError.noRoom) { _ = try bodies.reserve(for: request("1", from: "192.0.2.1")) }
        #expect(throws: Never.self) { _ = try bodies.reserve(for: request("0", from: "192.0.2.1")) }
        let other = try bodies.reserve(for: request("1", from: "192.0.2.2"))
        held[0].release()
        held[0].release()
        let again = try bodies.reserve(for: request(nil, from: "192.0.2.1"))
        #expect(throws: BodyError.noRoom) { _ = try bodies.reserve(for: request("1", from: "192.0.2.1")) }
        withExtendedLifetime((other, again, held)) {}
    }

    @Test func allTogetherHaveALimit() throws {
        let bodies = UnkeyedBodies()
        let count = UnkeyedBodies.bytesMaximum / UnkeyedBodies.bodyBytesMaximum
        var held = try (0..<count).map { try bodies.reserve(for: request(nil, from: "192.0.2.\($0)")) }
        #expect(throws: BodyError.noRoom) { _ = try bodies.reserve(for: request("1", from: "198.51.100.1")) }
        held.removeLast()
        #expect(throws: Never.self) { _ = try bodies.reserve(for: request(nil, from: "198.51.100.1")) }
    }
}
