package import PushModel

/// The transfers of each app, each remembered for `TransferBounds.retention` after its creation.
package protocol Transfers: Sendable {
    /// Stores a new transfer and returns it, or returns the earlier one with the same group and client id, whatever its
    /// fingerprint; of several calls at once one stores its transfer. Throws `tooMany` if the app has the maximum.
    func reserve(_ transfer: Transfer, in app: AppID) async throws(StoreError) -> Transfer
    /// Replaces a reserved transfer.
    func update(_ transfer: Transfer, in app: AppID) async throws(StoreError)
    func transfer(_ id: UInt64, in app: AppID) async throws(StoreError) -> Transfer?
    func transfer(clientID: Int64, group: Int64, in app: AppID) async throws(StoreError) -> Transfer?
}
