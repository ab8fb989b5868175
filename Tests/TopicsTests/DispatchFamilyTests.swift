import PushModel
import TaskModel
import Testing
import Topics

@Suite struct DispatchFamilyTests {
    @Test func eachSupportedProtocolHasOneSender() {
        #expect(DispatchFamily.apple.protocols == [.apns])
        #expect(DispatchFamily.android.protocols == [.fcm, .huawei])
        #expect(DispatchFamily.web.protocols == [.webpush, .wns, .mpns, .http])
        #expect(DispatchFamily.allCases.flatMap(\.protocols) == PushProtocol.supported)
        #expect(Set(PushProtocol.supported) == Set(PushProtocol.allCases))
        #expect(Platform.supported == Platform.allCases)
    }

    @Test func eachSenderHasATopicOfItsOwn() {
        #expect(
            DispatchFamily.allCases.map(\.topic.declaration.name) == [
                "dispatch.apns", "dispatch.android", "dispatch.web",
            ])
    }
}
