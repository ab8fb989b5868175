import PushModel
import Store
import TestSupport
import Testing

@Suite struct PackedDevicesTests {
    @Test func recordsLieSideBySide() throws {
        let devices = try (0..<300).map { number in
            var device = Device(
                tag: UInt32(number), token: try PushToken(.fcm, text: String(repeating: "a", count: 32 + number)),
                created: 1)
            device.language = number.isMultiple(of: 2) ? "de" : nil
            return device
        }
        var packed = PackedDevices()
        #expect(packed.count == 0)
        for (offset, device) in devices.enumerated() {
            packed.append(offset: UInt16(offset * 7), record: device.packed)
        }
        #expect(packed.count == 300)
        #expect(packed.offsets == (0..<300).map { UInt16($0 * 7) })
        for (position, device) in devices.enumerated() {
            #expect(Array(packed.record(at: position)) == device.packed)
            #expect(packed.device(at: position) == device)
        }
    }

    @Test func aRecordThatCannotBeReadIsNoDevice() throws {
        var packed = PackedDevices()
        packed.append(offset: 1, record: [])
        packed.append(offset: 2, record: [0xFF, 1, 2, 3, 4])
        let device = try Samples.device(1)
        packed.append(offset: 3, record: device.packed)
        #expect(packed.device(at: 0) == nil && packed.device(at: 1) == nil)
        #expect(packed.device(at: 2) == device)
    }
}
