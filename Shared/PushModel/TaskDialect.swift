/// The publisher APIs. A task and its report keep the dialect of the request; the raw value is used in messages, app
/// files and metrics.
package enum TaskDialect: String, CaseIterable, Sendable {
    case native
    case pushd
    case richie
    case appmetrica
    case pushwoosh
    case contextpush

    /// How the requests of a dialect name the app, as app files list it.
    package enum AppIdentifier: Sendable {
        case text
        /// A whole number above zero.
        case number
    }

    /// Nil for dialects that select the app by the path or the key.
    package var appIdentifier: AppIdentifier? {
        switch self {
        case .native, .pushd: nil
        // `app_id`.
        case .richie: .text
        // The number `app_id`.
        case .appmetrica: .number
        // `application`, a code such as `ABCDE-12345`.
        case .pushwoosh: .text
        // `bundle_id`.
        case .contextpush: .text
        }
    }
}
