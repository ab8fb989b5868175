import ServiceKit

extension IPAddress {
    /// The actual IPv4 destination if this address is translated on the way (NAT64, `64:ff9b::/96`).
    var translatedIPv4: IPAddress? {
        let prefix = [0x00, 0x64, 0xFF, 0x9B] + [UInt8](repeating: 0, count: 8)
        return bytes.count == 16 && bytes.starts(with: prefix) ? IPAddress(bytes: Array(bytes[12...])) : nil
    }
}
