/// A one-device push must never queue behind a broadcast, so hot topics exist twice.
package enum Lane: String, CaseIterable, Sendable {
    case fast
    case bulk
}
