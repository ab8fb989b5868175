package import PushModel

/// Provider settings of an app. Keys stay in their files, which the senders read.
package struct ProviderCredentials: Sendable, Equatable {
    package var apns: APNsCredentials?
    package var fcm: FCMCredentials?
    package var huawei: HuaweiCredentials?

    package init() {}

    /// True if the app can send to devices of this protocol.
    package func has(_ kind: PushProtocol) -> Bool {
        switch kind {
        case .apns: apns != nil
        case .fcm: fcm != nil
        case .huawei: huawei != nil
        case .webpush, .wns, .mpns, .http: false
        }
    }
}

package struct APNsCredentials: Sendable, Hashable {
    package enum Proof: Sendable, Hashable {
        case token(keyFile: KeyFile, keyID: String, teamID: String)
        /// PEM; the key may be in the certificate's file.
        case certificate(file: KeyFile, keyFile: KeyFile?)
    }

    package let proof: Proof
    /// The bundle id.
    package let topic: String

    package init(proof: Proof, topic: String) {
        self.proof = proof
        self.topic = topic
    }
}

package struct FCMCredentials: Sendable, Equatable {
    package let serviceAccountFile: KeyFile
    /// Nil for the project of the service account.
    package let project: String?
}

package struct HuaweiCredentials: Sendable, Equatable {
    package let clientID: String
    package let clientSecretFile: KeyFile
    /// If set, pushes are sent by project, otherwise by client id.
    package let project: String?
}
