extension Timestamp {
    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// `Sun, 06 Nov 1994 08:49:37 GMT`, as in HTTP's Date field (RFC 9110, 5.6.7). For times since 1970.
    package var httpDate: String {
        let seconds = max(0, milliseconds) / 1_000
        let days = seconds / 86_400
        let date = CivilDate(daysSinceEpoch: days)
        let inDay = seconds % 86_400
        let time = [inDay / 3_600, inDay / 60 % 60, inDay % 60].map(Timestamp.twoDigits).joined(separator: ":")
        let weekday = Timestamp.weekdays[Int(days % 7)]
        let month = Timestamp.months[Int(date.month) - 1]
        return "\(weekday), \(Timestamp.twoDigits(date.day)) \(month) \(date.year) \(time) GMT"
    }

    private static func twoDigits(_ value: Int64) -> String {
        value < 10 ? "0\(value)" : "\(value)"
    }
}
