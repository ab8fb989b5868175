import PushModel

extension PushProtocol {
    /// True if one request carries many devices: then more of them are claimed together, and a failed request says no
    /// more about the provider than one failed push.
    var sharesRequests: Bool { self == .huawei }
}
