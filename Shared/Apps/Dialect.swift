/// Publisher APIs that name the app in the request. The raw value is used in app files.
package enum Dialect: String, CaseIterable, Sendable {
    /// `app_id`.
    case richie
    /// The number `app_id`.
    case appmetrica
    /// `application`, a code such as `ABCDE-12345`.
    case pushwoosh
    /// `bundle_id`.
    case contextpush
}
