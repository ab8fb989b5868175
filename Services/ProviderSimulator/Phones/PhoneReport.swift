import HTTPClient
import JSONKit
import ServiceKit

/// One request of an app to its backend.
struct PhoneReport: Sendable {
    enum Subject: Sendable {
        case registration(pushToStart: PhoneToken)
        case token(PhoneToken, serial: UInt32)
        case removal(serial: UInt32)
    }

    let phone: Int
    let subject: Subject
    let request: HTTPClientRequest

    /// The next one that is due; nil if none is.
    init?(dueOn phone: Phone) {
        guard let backend = phone.group.backend else { return nil }
        self.phone = phone.number
        if phone.isRegistrationDue {
            subject = .registration(pushToStart: phone.pushToStartToken)
            request = PhoneReport.registration(of: phone, at: backend)
            return
        }
        guard let device = phone.device, let activity = phone.activities.first(where: { $0.dueReport != nil }) else {
            return nil
        }
        let path = "/v1/devices/\(PercentEncoding.encode(device))/activities/\(PercentEncoding.encode(activity.id))"
        if activity.dueReport == .token, let token = activity.token {
            subject = .token(token, serial: activity.serial)
            let body = JSONText.object { $0.member("token", token.text(as: .liveActivity)) }
            request = PhoneReport.request(.put, path: path, body: body, of: phone, to: backend)
        } else {
            subject = .removal(serial: activity.serial)
            request = PhoneReport.request(.delete, path: path, of: phone, to: backend)
        }
    }

    var isRegistration: Bool {
        guard case .registration = subject else { return false }
        return true
    }

    /// Without the phone's own ids, so that equal failures are counted together.
    var name: String {
        switch subject {
        case .registration: "PUT device"
        case .token: "PUT activity"
        case .removal: "DELETE activity"
        }
    }

    private static func registration(of phone: Phone, at backend: PhoneGroup.Backend) -> HTTPClientRequest {
        let body = JSONText.object { json in
            json.member("protocol", "apns")
            json.member("token", phone.token.text(as: .device))
            json.member("system_version", phone.group.system)
            json.member("push_to_start") { json in
                guard let type = phone.group.attributesType else { return }
                json.member(type, phone.pushToStartToken.text(as: .liveActivity))
            }
        }
        return request(.put, path: "/v1/devices", body: body, of: phone, to: backend)
    }

    private static func request(
        _ method: HTTPClientRequest.Method, path: String, body: String? = nil, of phone: Phone,
        to backend: PhoneGroup.Backend
    ) -> HTTPClientRequest {
        var headers = [
            // With a public key it proves that the request is of this device.
            HTTPClientRequest.Header("Carillon-Device-Token", phone.token.text(as: .device))
        ]
        if let key = backend.key {
            headers.append(HTTPClientRequest.Header("Authorization", "Bearer " + key.reveal()))
        }
        if body != nil { headers.append(HTTPClientRequest.Header("Content-Type", "application/json")) }
        return HTTPClientRequest(
            method, url: backend.url + path, to: .trusted, headers: headers, body: Array((body ?? "").utf8),
            isRepeatable: true)
    }
}

extension PhoneReport {
    enum Result: Sendable, Equatable {
        /// With the phone's id at the backend, if it has registered itself.
        case made(device: String?)
        case failed(reason: String, isRetriable: Bool)

        init(of outcome: HTTPClientOutcome, isRegistration: Bool) {
            switch outcome {
            case .notSent(let error), .unknown(let error):
                self = .failed(reason: error.code.rawValue, isRetriable: error.isRetriable)
            case .answered(let response):
                let isRetriable = response.status >= 500 || response.status == 408 || response.status == 429
                guard 200...299 ~= response.status else {
                    self = .failed(reason: String(response.status), isRetriable: isRetriable)
                    return
                }
                let device = isRegistration ? (try? JSON(response.body))?["id"]?.text : nil
                let isComplete = !isRegistration || device != nil
                self = isComplete ? .made(device: device) : .failed(reason: "no id", isRetriable: false)
            }
        }
    }
}

extension Phone {
    /// A report is no longer due, unless the phone has got another token meanwhile.
    mutating func settle(_ report: PhoneReport) {
        switch report.subject {
        case .registration(let pushToStart):
            if pushToStart == pushToStartToken { isRegistrationDue = false }
        case .token(let token, let serial):
            guard let place = place(ofSerial: serial), activities[place].token == token else { return }
            if activities[place].dueReport == .token { activities[place].dueReport = nil }
        case .removal(let serial):
            guard let place = place(ofSerial: serial) else { return }
            activities[place].dueReport = nil
        }
    }
}
