import PushModel
import Store
import Testing

@Suite struct StateCountsTests {
    @Test func countsWhoWasMarkedAndWhoIsOpen() {
        var counts = StateCounts()
        #expect(counts.targeted == 0 && counts.open == 0)
        for state in DeliveryState.allCases { counts[state] = 1 << Int(state.rawValue) }
        #expect(counts.targeted == (1 << 13) - 2)
        #expect(counts.open == 2 + 4 + 8 + 4_096)
        #expect(counts[.delivered] == 16)
    }

    @Test func addsStateByState() {
        var (sum, other) = (StateCounts(), StateCounts())
        for state in DeliveryState.allCases {
            sum[state] = Int(state.rawValue)
            other[state] = 100
        }
        sum.add(other)
        #expect(DeliveryState.allCases.allSatisfy { sum[$0] == 100 + Int($0.rawValue) })
    }
}
