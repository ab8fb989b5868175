package import JSONKit
package import LocalTime

/// Format of quiet hours in a task.
extension QuietHours {
    package var json: JSON {
        .object(
            JSONObject([
                ("start", .integer(Int64(start))), ("end", .integer(Int64(end))), ("time_zone", .string(timeZone)),
            ]))
    }

    /// Nil if invalid; errors are added to the problems.
    package init?(_ fields: JSONFields) {
        let start = fields.integer("start", in: QuietHours.minutesOfDay, isRequired: true)
        let end = fields.integer("end", in: QuietHours.minutesOfDay, isRequired: true)
        let zone = fields.text("time_zone", expected: "a time zone", isRequired: true) { text in
            TimeZoneName.isPossible(text) ? text : nil
        }
        guard let start, let end, let zone else { return nil }
        self.init(start: start, end: end, timeZone: zone)
    }
}
