import Bus
import Testing

@Suite struct GroupProgressTests {
    @Test func partitionsAddUp() {
        var sum = GroupProgress(waiting: 0, handled: 0)
        for part in 1...3 { sum.add(GroupProgress(waiting: part, handled: part * 10)) }
        #expect(sum == GroupProgress(waiting: 6, handled: 60))
    }

    /// Goal: a sum without one of its parts is not given, because it would look like a step back.
    @Test func anUnknownPartMakesTheSumUnknown() {
        var sum = GroupProgress(waiting: 1, handled: 10)
        sum.add(GroupProgress(waiting: 2, handled: nil))
        sum.add(GroupProgress(waiting: 3, handled: 30))
        #expect(sum == GroupProgress(waiting: 6, handled: nil))
    }
}
