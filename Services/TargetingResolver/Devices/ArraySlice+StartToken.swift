import PushModel

extension ArraySlice<UInt8> {
    /// True for the record of a device on which Live Activities of the type can be started.
    func startsActivities(of type: ActivityType) -> Bool {
        DeviceGlance(packed: self)?.startToken(for: type) != nil
    }
}
