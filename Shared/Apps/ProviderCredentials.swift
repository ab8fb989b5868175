package import PushModel

/// Provider settings of an app. Keys stay in their files, which the senders read.
package struct ProviderCredentials: Sendable, Equatable {
    package var apns: APNsCredentials?
    package var fcm: FCMCredentials?
    package var huawei: HuaweiCredentials?
    package var webpush: WebPushCredentials?
    package var wns: WNSCredentials?
    package var mpns: MPNSCredentials?
    package var http: HTTPPushCredentials?

    package init() {}

    /// True if the app can send to devices of this protocol.
    package func has(_ kind: PushProtocol) -> Bool {
        switch kind {
        case .apns, .liveActivity, .channel: apns != nil
        case .fcm: fcm != nil
        case .huawei: huawei != nil
        case .webpush: webpush != nil
        case .wns: wns != nil
        case .mpns: mpns != nil
        case .http: http != nil
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

/// The key with which an app names itself to push services (VAPID, RFC 8292).
package struct WebPushCredentials: Sendable, Hashable {
    /// PEM; a P-256 private key.
    package let keyFile: KeyFile
    /// A `mailto:` or `https:` address at which a push service reaches the publisher.
    package let contact: String

    package init(keyFile: KeyFile, contact: String) {
        self.keyFile = keyFile
        self.contact = contact
    }
}

package struct WNSCredentials: Sendable, Hashable {
    /// The package SID; with a tenant, the id of its application.
    package let clientID: String
    package let clientSecretFile: KeyFile
    /// Of Microsoft Entra; nil for an app that is registered in the store's own way.
    package let tenant: String?

    package init(clientID: String, clientSecretFile: KeyFile, tenant: String?) {
        self.clientID = clientID
        self.clientSecretFile = clientSecretFile
        self.tenant = tenant
    }
}

package struct MPNSCredentials: Sendable, Hashable {
    /// PEM; without one a device gets at most 500 pushes a day.
    package let certificateFile: KeyFile?
    /// The key may be in the certificate's file.
    package let certificateKeyFile: KeyFile?

    package init(certificateFile: KeyFile? = nil, certificateKeyFile: KeyFile? = nil) {
        self.certificateFile = certificateFile
        self.certificateKeyFile = certificateKeyFile
    }
}

/// Settings for devices that are addresses of the publisher's own.
package struct HTTPPushCredentials: Sendable, Hashable {
    /// The secret that signs each request.
    package let signingKeyFile: KeyFile?

    package init(signingKeyFile: KeyFile? = nil) {
        self.signingKeyFile = signingKeyFile
    }
}
