import ServiceKit
import Testing

@testable import HTTPServer

@Suite struct BodyBudgetTests {
    private let gauge = Metrics().gauge(.httpBodyBytesBuffered, labels: ["server": "test"])

    private func payers(_ peer: String, account: String? = nil) -> BodyBudget.Payers {
        BodyBudget.Payers(peer: peer, account: account)
    }

    @Test func onePeerGetsHalf() {
        let budget = BodyBudget(bytesMaximum: 1_000, gauge: gauge)
        #expect(budget.reserve(500, of: payers("a"), total: 500))
        #expect(!budget.reserve(1, of: payers("a"), total: 501))
        #expect(budget.reserve(500, of: payers("b"), total: 500))
        #expect(gauge.value == 1_000)
    }

    @Test func oneKeyGetsHalfFromHoweverManyAddresses() {
        let budget = BodyBudget(bytesMaximum: 1_000, gauge: gauge)
        #expect(budget.reserve(300, of: payers("a", account: "key"), total: 300))
        #expect(!budget.hasRoom(for: 300, of: payers("b", account: "key")))
        #expect(!budget.reserve(300, of: payers("b", account: "key"), total: 300))
        #expect(budget.reserve(300, of: payers("b", account: "other"), total: 300))
    }

    @Test func largeBodiesLeaveRoomForSmallOnes() {
        let large = 256 << 10
        let budget = BodyBudget(bytesMaximum: 4 * large, gauge: gauge)
        #expect(budget.reserve(2 * large, of: payers("a"), total: 2 * large))
        #expect(budget.reserve(large, of: payers("b"), total: large))
        #expect(!budget.reserve(large, of: payers("c"), total: large))
        #expect(budget.reserve(1_000, of: payers("c"), total: 1_000))
    }

    @Test func whatIsReleasedCanBeTakenAgain() {
        let budget = BodyBudget(bytesMaximum: 1_000, gauge: gauge)
        #expect(budget.reserve(500, of: payers("a", account: "key"), total: 500))
        budget.release(500, of: payers("a", account: "key"))
        #expect(budget.reserve(500, of: payers("a", account: "key"), total: 500))
        #expect(gauge.value == 500)
    }

    @Test func aBodyCountsWithWhatItBecame() {
        let budget = BodyBudget(bytesMaximum: 1_000, gauge: gauge)
        #expect(budget.reserve(200, of: payers("a"), total: 200))
        let bytes = [UInt8](repeating: 0, count: 200)
        var body: HTTPRequestBody? = HTTPRequestBody(bytes, reservedFrom: budget, by: payers("a"))
        #expect(body?.reserve(300) == true)
        #expect(body?.reserve(1) == false)
        body = nil
        #expect(gauge.value == 0)
    }
}
