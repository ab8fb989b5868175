import PushModel
import TaskModel
import Testing
import Topics

@Suite struct DispatchFamilyTests {
    @Test func eachSupportedProtocolHasOneSender() {
        #expect(DispatchFamily.apple.protocols == [.apns, .liveActivity, .channel])
        #expect(DispatchFamily.android.protocols == [.fcm, .huawei])
        #expect(DispatchFamily.web.protocols == [.webpush, .wns, .mpns, .http])
        #expect(Set(DispatchFamily.allCases.flatMap(\.protocols)) == Set(PushProtocol.allCases))
        #expect(PushProtocol.ofDevices == [.apns, .fcm, .huawei, .webpush, .wns, .mpns, .http])
        #expect(Platform.supported == Platform.allCases)
    }

    @Test func eachSenderHasATopicOfItsOwn() {
        #expect(
            DispatchFamily.allCases.map(\.topic.declaration.name) == [
                "dispatch.apns", "dispatch.android", "dispatch.web",
            ])
    }
}
