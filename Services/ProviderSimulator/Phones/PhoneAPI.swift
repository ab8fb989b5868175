import HTTPServer
import JSONKit
import ServiceKit

/// The part of the admin API that plays phones with Live Activities.
struct PhoneAPI: Sendable {
    private static let newMaximum = 10_000
    private static let shownDefault = 20
    private static let shownMaximum = 10_000
    private static let activityBytesMaximum = 256

    let phones: ApplePhones

    func add(to router: inout HTTPRouter) {
        router.on(.get, pattern: "/phones") { shown($0) }
        router.on(.get, pattern: "/phones/summary") { summary($0) }
        router.on(.post, pattern: "/phones") { new($0) }
        router.on(.delete, pattern: "/phones") { _ in
            phones.removeAll()
            return HTTPResponse(.noContent)
        }
        router.on(.post, pattern: "/phones/rotate") { rotate($0) }
        router.on(.post, pattern: "/phones/dismiss") { dismiss($0) }
    }

    private func shown(_ request: HTTPRequest) -> HTTPResponse {
        let limit = request.queryValue("limit").map { Int($0) } ?? PhoneAPI.shownDefault
        guard let limit, 0...PhoneAPI.shownMaximum ~= limit else {
            return Problem(
                .badRequest, detail: "limit: expected an integer from 0 to \(PhoneAPI.shownMaximum)"
            ).response()
        }
        return .json(phones.json(ofActivity: request.queryValue("activity"), limit: limit) + "\n")
    }

    private func summary(_ request: HTTPRequest) -> HTTPResponse {
        .json(phones.summary(ofActivity: request.queryValue("activity")) + "\n")
    }

    private func new(_ request: HTTPRequest) -> HTTPResponse {
        AdminDocument.read(request) { fields in
            let count = fields.integer("count", in: 1...PhoneAPI.newMaximum, isRequired: true)
            let activity = fields.text("activity", bytesMaximum: PhoneAPI.activityBytesMaximum)
            let group = PhoneGroup(fields: fields)
            return count.map { (count: $0, group: group, activity: activity) }
        } perform: { new in
            guard let json = phones.add(new.count, to: new.group, activity: new.activity) else {
                let detail = "at most \(PhoneBook.phonesMaximum) phones are allowed; remove them with DELETE /phones"
                return Problem(.conflict, detail: detail).response()
            }
            return .json(JSONText.object { $0.member("phones", json: json) } + "\n", status: .created)
        }
    }

    private func rotate(_ request: HTTPRequest) -> HTTPResponse {
        AdminDocument.read(request) { fields in
            let which = fields.text("which", expected: "activity or push_to_start", isRequired: true) {
                PhoneBook.RotatedToken(rawValue: $0)
            }
            let selection = selection(fields)
            return which.map { (which: $0, selection: selection) }
        } perform: { change in
            PhoneAPI.changed(phones.rotate(change.which, on: change.selection))
        }
    }

    private func dismiss(_ request: HTTPRequest) -> HTTPResponse {
        AdminDocument.read(request) {
            selection($0)
        } perform: { selection in
            PhoneAPI.changed(phones.dismissActivities(on: selection))
        }
    }

    private func selection(_ fields: JSONFields) -> ApplePhones.Selection {
        guard fields.has("phones") else { return .all }
        let numbers = fields.elements("phones", countMaximum: PhoneAPI.newMaximum).compactMap { element in
            element.text(expected: "the number of a phone, as a string") { text in
                Int(text).flatMap { phones.contains(phone: $0) ? $0 : nil }
            }
        }
        return .some(numbers)
    }

    private static func changed(_ count: Int) -> HTTPResponse {
        .json(JSONText.object { $0.member("changed", count) } + "\n")
    }
}
