import PushModel
import Store
import TestSupport
import Testing

@Suite struct OutboxQueueTests {
    @Test func aQueueIsReadBackFromItsName() throws {
        for event in WebhookEvent.allCases {
            for app in ["news", "devices", "a-devices"] {
                let queue = OutboxQueue(event, of: try AppID(app), in: OutboxShard.all[3])
                #expect(OutboxQueue(named: queue.name, in: queue.shard) == queue)
            }
        }
    }

    @Test(arguments: ["", ":devices", "news:", "news:other", "news:devices:devices", "NEWS"])
    func otherNamesAreRefused(_ name: String) {
        #expect(OutboxQueue(named: name, in: OutboxShard.all[0]) == nil)
    }
}
