import ServiceKit
import Testing

@Suite struct QueueTests {
    @Test func theQueueKeepsOrderWhileItShrinks() {
        var queue = Queue<Int>()
        var taken: [Int] = []
        for number in 0..<1000 {
            queue.append(number)
            if number % 3 != 0 { taken.append(queue.popFirst() ?? -1) }
        }
        #expect(taken + queue.takeAll() == Array(0..<1000))
        #expect(queue.popFirst() == nil)
    }
}
