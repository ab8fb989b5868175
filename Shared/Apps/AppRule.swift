import LocalTime
import PushModel
import ServiceKit

/// The fields of an app file that take effect only where a service enforces them. `carillon apps check` shows them, so
/// that no field is accepted and silently ignored.
package enum AppRule: CaseIterable, Sendable {
    case devices
    case requestsPerSecond
    case devicesPerSecond
    case pushesPerDevice
    case quietHours
    case language

    /// Where the field is enforced.
    package var enforcement: String {
        switch self {
        case .devices: "ingest-api, for all its processes together"
        case .requestsPerSecond: "ingest-api, in each process for each private key, or for each address otherwise"
        case .pushesPerDevice: "apns-sender, android-sender and web-sender, for all their processes together"
        case .quietHours: "targeting-resolver and scheduler, for each device in its time zone"
        case .devicesPerSecond: "targeting-resolver, scheduler and senders, for all their processes together"
        case .language: "renderer, for devices without a language"
        }
    }

    /// The path of the field in the file.
    package var field: String {
        switch self {
        case .devices: "limits.devices"
        case .requestsPerSecond: "limits.requests_per_second"
        case .devicesPerSecond: "limits.devices_per_second"
        case .pushesPerDevice: "limits.pushes_per_device"
        case .quietHours: "quiet_hours"
        case .language: "defaults.language"
        }
    }

    /// The field's value as text; nil if the file does not set it.
    package func value(in app: PushApp) -> String? {
        switch self {
        case .devices: app.limits.devices.map(String.init)
        case .requestsPerSecond: app.limits.requestsPerSecond.map(String.init)
        case .devicesPerSecond: app.limits.devicesPerSecond.map(String.init)
        case .pushesPerDevice: app.limits.pushesPerDevice.map { "\($0.count) per \(DurationText.print($0.period))" }
        case .quietHours: app.quietHours?.description
        case .language: app.defaults.language
        }
    }
}
