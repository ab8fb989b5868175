/// A simulated phone with one app.
struct Phone: Sendable {
    /// Further ones replace those that are over, or the oldest, as a system allows an app only a few.
    static let activitiesMaximum = 8

    let number: Int
    let group: PhoneGroup
    let token: PhoneToken
    var pushToStartToken: PhoneToken
    /// The phone's id at the app's backend, once it has registered itself.
    var device: String?
    var isRegistrationDue = false
    /// True while the phone is queued for its reports, or makes one.
    var isReporting = false
    var reportsMade: UInt32 = 0
    var reportsFailed: UInt32 = 0
    /// Of pushes that started no activity, or reached none.
    var counts = PushCounts()
    var activities: [PhoneActivity] = []
    private var serials: UInt32 = 0

    init(_ number: Int, group: PhoneGroup, token: PhoneToken, pushToStartToken: PhoneToken) {
        self.number = number
        self.group = group
        self.token = token
        self.pushToStartToken = pushToStartToken
        isRegistrationDue = group.backend != nil
    }

    var hasDueReport: Bool {
        group.backend != nil && (isRegistrationDue || activities.contains { $0.dueReport != nil })
    }

    mutating func nextSerial() -> UInt32 {
        serials += 1
        return serials
    }

    func place(ofActivity id: String) -> Int? {
        activities.firstIndex { $0.id == id }
    }

    func place(ofSerial serial: UInt32) -> Int? {
        activities.firstIndex { $0.serial == serial }
    }

    /// An activity's token can only be reported under the phone's id at the backend.
    mutating func noteDueReport(_ report: PhoneActivity.DueReport, of place: Int) {
        guard group.backend != nil else { return }
        activities[place].dueReport = report
        if device == nil { isRegistrationDue = true }
    }
}
