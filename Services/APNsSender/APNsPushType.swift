/// The types of Apple's notifications: each type has a topic of its own beside the app's.
enum APNsPushType {
    /// The suffix to the app's bundle id. Types that Apple may add later, and `mdm`, whose topic is in its certificate,
    /// have none.
    static func topicSuffix(of type: String) -> String {
        switch type {
        case "voip": ".voip"
        case "complication": ".complication"
        case "fileprovider": ".pushkit.fileprovider"
        case "location": ".location-query"
        case "liveactivity": ".push-type.liveactivity"
        case "pushtotalk": ".voip-ptt"
        case "controls": ".push-type.controls"
        case "widgets": ".push-type.widgets"
        default: ""
        }
    }
}
