import PushModel
import ServiceKit
import Store

/// The place of an activity in the list, as a cursor of the page that follows.
enum ActivityPage {
    static func text(of place: ActivityPlace) -> String {
        var bytes: [UInt8] = []
        bytes.append(integer: UInt64(bitPattern: place.time.milliseconds))
        return Base64URL.encode(bytes + Array(place.activity.text.utf8))
    }

    /// Nil for the first page.
    static func place(_ text: String?) throws(TaskError) -> ActivityPlace? {
        guard let text else { return nil }
        var reader = ByteReader(Base64URL.decode(text) ?? [])
        guard let time = reader.integer(UInt64.self).flatMap({ Int64(exactly: $0) }),
            let id = OutsideText.string(reader.rest()).flatMap({ try? ActivityID($0) })
        else { throw .invalidField("before", message: "expected the value of next of the page before") }
        return ActivityPlace(id, time: Timestamp(milliseconds: time))
    }
}
