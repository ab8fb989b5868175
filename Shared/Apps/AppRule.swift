import LocalTime
package import PushModel
import ServiceKit

/// The fields of an app file that take effect only where a service enforces them. `carillon apps check` shows them, so
/// that no field is accepted and silently ignored.
package enum AppRule: Sendable, Equatable {
    case devices
    case requestsPerSecond
    case devicesPerSecond
    case pushesPerDevice
    case quietHours
    case language
    /// The app's identifiers in a dialect that is not served yet.
    case identifiers(TaskDialect)

    package static let all: [AppRule] =
        [.devices, .requestsPerSecond, .devicesPerSecond, .pushesPerDevice, .quietHours, .language]
        + TaskDialect.allCases.filter { $0.appIdentifier != nil && !$0.isServed }.map { .identifiers($0) }

    /// Where the field is enforced; nil if no service enforces it yet. This is the only list of such fields.
    package var enforcement: String? {
        switch self {
        case .devices: "ingest-api, for all its processes together"
        case .requestsPerSecond: "ingest-api, in each process for each private key, or for each address otherwise"
        case .pushesPerDevice: "apns-sender, android-sender and web-sender, for all their processes together"
        case .quietHours: "targeting-resolver and scheduler, for each device in its time zone"
        case .devicesPerSecond: "targeting-resolver, scheduler and senders, for all their processes together"
        case .language: "renderer, for devices without a language"
        case .identifiers: nil
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
        case .identifiers(let dialect): "identifiers.\(dialect.rawValue)"
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
        case .identifiers(let dialect): app.identifiers[dialect]?.joined(separator: ", ")
        }
    }

    /// The fields of the app that no service enforces yet.
    static func warnings(about app: PushApp) -> [AppProblem] {
        all.filter { $0.enforcement == nil && $0.value(in: app) != nil }.map { rule in
            .warning(
                AppFolder.fileName(of: app.id), field: rule.field,
                message: "not in force: no service of this version enforces it")
        }
    }
}
