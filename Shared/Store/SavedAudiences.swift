package import PushModel

/// Audiences that an app keeps under names, in the form in which the caller encodes them.
package protocol SavedAudiences: Sendable {
    /// Creates or replaces; a new one above the maximum throws `tooMany`. Callers that create at the same time may
    /// exceed it by their number.
    func save(_ definition: [UInt8], as name: AudienceName, in app: AppID) async throws(StoreError)
    /// Without effect for an unknown name.
    func removeAudience(_ name: AudienceName, in app: AppID) async throws(StoreError)
    /// Those that exist.
    func audiences(_ names: [AudienceName], in app: AppID) async throws(StoreError) -> [AudienceName: [UInt8]]
    /// In ascending order.
    func audienceNames(in app: AppID) async throws(StoreError) -> [AudienceName]
}

package enum SavedAudienceBounds {
    /// Of one app.
    package static let countMaximum = 1_000
    package static let bytesMaximum = 16 * 1_024

    package static func check(_ definition: [UInt8], isNew: Bool, count: Int) throws(StoreError) {
        guard definition.count <= bytesMaximum else {
            throw StoreError(.tooMany, message: "the audience has more than \(bytesMaximum) bytes")
        }
        guard !isNew || count < countMaximum else {
            throw StoreError(.tooMany, message: "the app already has the maximum of \(countMaximum) saved audiences")
        }
    }
}
