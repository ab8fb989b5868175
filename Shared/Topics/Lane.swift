/// A push to one device must never queue behind a broadcast, so hot topics have two lanes.
package enum Lane: String, CaseIterable, Sendable {
    case fast
    case bulk
}
