import PushModel
import Topics

/// What a task sends, and to which devices.
struct DispatchContent: Sendable {
    let topic: Topic<DispatchChunk>
    let variant: RenderedVariant
    let device: @Sendable (DeviceIndex) throws -> Device

    static func apple(_ task: TaskID) -> DispatchContent {
        DispatchContent(
            topic: Topics.dispatchAPNs,
            variant: RenderedVariant(
                kind: .apns, priority: .high, pushType: "alert", collapseID: "\(task)", expiration: 0,
                payload: PayloadTemplate(
                    Array(#"{"aps":{"alert":{"title":"Bench","body":"A push like any other"},"badge":1}}"#.utf8)))
        ) { index in
            let token = try PushToken(.apns, text: LocalSimulator.deviceToken(Int(index.rawValue)))
            return Device(tag: index.rawValue, token: token, created: 1_700_000_000)
        }
    }
}
