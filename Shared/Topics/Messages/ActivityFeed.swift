package import PushModel

/// The member of a started activity's `aps` that tells a phone where its updates come from.
package enum ActivityFeed {
    /// The app reports a token for the activity.
    package static let tokens = #""input-push-token":1"#

    /// A channel of Apple, whose id is base64.
    package static func channel(_ id: PushToken) -> String { #""input-push-channel":""# + id.text + "\"" }

    /// Of the longest id that a channel may have.
    package static let bytesMaximum = #""input-push-channel":"""#.utf8.count + PushToken.channelBytesMaximum
}
