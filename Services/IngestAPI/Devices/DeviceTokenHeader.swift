/// The header in which a caller with a public key presents the token of its device.
enum DeviceTokenHeader {
    static let name = "Carillon-Device-Token"
}
