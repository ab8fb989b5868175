import ServiceKit
import Testing

@Suite struct GroupsTests {
    @Test func groupsAndTheirElementsKeepOrder() {
        #expect([Int]().groups { $0 }.isEmpty)
        #expect([5, 2, 7, 4, 9].groups { $0.isMultiple(of: 2) } == [[5, 7, 9], [2, 4]])
    }
}
