import ServiceKit

/// All simulated phones: what they show, and what each token and channel stands for. All of it is bounded.
struct PhoneBook: Sendable {
    static let phonesMaximum = 100_000
    /// Tokens that were replaced or whose activity is over; the oldest of more are forgotten.
    static let formerTokensMaximum = 1_000_000

    /// What a token stands for.
    struct TokenUse: Sendable {
        enum Kind: Sendable {
            case device
            case pushToStart
            case activity
            case expired
            case unregistered

            var form: PhoneToken.Kind { self == .device ? .device : .liveActivity }
        }

        var kind: Kind
        /// The phone's number.
        let phone: Int
        /// Of the activity.
        var serial: UInt32 = 0
    }

    private(set) var phones: [Phone] = []
    private(set) var states = ContentStates()
    private(set) var uses: [PhoneToken: TokenUse] = [:]
    /// The serial of the activity by the phone's number, for each channel.
    private(set) var subscribers: [String: [Int: UInt32]] = [:]
    var reports = PhoneReports()
    private var formerTokens = Queue<PhoneToken>()
    /// Numbers of removed phones are not used again, so that their late pushes and reports find nothing.
    private var firstNumber = 1
    private let random: any RandomSource

    init(random: any RandomSource) {
        self.random = random
    }

    func place(ofPhone number: Int) -> Int? {
        let place = number - firstNumber
        return phones.indices.contains(place) ? place : nil
    }

    /// Returns the new phones; nil if there would be too many. With an activity, each phone already runs it.
    mutating func add(_ count: Int, to group: PhoneGroup, activity id: String?) -> ArraySlice<Phone>? {
        guard phones.count + count <= PhoneBook.phonesMaximum else { return nil }
        for _ in 0..<count {
            let number = firstNumber + phones.count
            let token = newToken(.device, ofPhone: number)
            let pushToStart = newToken(.pushToStart, ofPhone: number)
            phones.append(Phone(number, group: group, token: token, pushToStartToken: pushToStart))
            if let id { run(id, on: phones.count - 1, channel: nil, hasToken: true) }
            noteReports(of: phones.count - 1)
        }
        return phones.suffix(count)
    }

    mutating func removeAll() {
        firstNumber += phones.count
        phones = []
        states = ContentStates()
        uses = [:]
        subscribers = [:]
        formerTokens = Queue()
        reports.removeAll()
    }

    /// Nil for the token of no phone.
    func use(of text: String) -> TokenUse? {
        guard !uses.isEmpty, let token = PhoneToken(startOf: text), let use = uses[token],
            token.isSpelled(text, as: use.kind.form)
        else { return nil }
        return use
    }

    mutating func deliver(_ push: PhonePush, at now: Timestamp) {
        guard let place = place(ofPhone: push.phone) else { return }
        switch push.target {
        case .start: start(push.content, on: place, at: now)
        case .activity(let serial): update(push.content, serial: serial, on: place, at: now)
        }
        noteReports(of: place)
    }

    private mutating func update(_ push: LiveActivityPush?, serial: UInt32, on place: Int, at now: Timestamp) {
        guard let activity = phones[place].place(ofSerial: serial) else {
            // Started anew since, or replaced by others.
            phones[place].counts.countArrival(at: now)
            phones[place].counts.count(.afterEnd)
            return
        }
        guard phones[place].activities[activity].receive(push, at: now), let push else { return }
        show(push.contentState, of: activity, on: place)
        if push.event == .end { unsubscribe(activity, on: place) }
    }

    private mutating func start(_ push: LiveActivityPush?, on place: Int, at now: Timestamp) {
        if let obstacle = PhoneBook.obstacle(toStart: push, onPhoneOf: phones[place].group) {
            phones[place].counts.countArrival(at: now)
            phones[place].counts.count(obstacle)
        } else if let push, let start = push.start, let id = start.activity {
            let hasToken = start.channel == nil && start.wantsToken
            let activity = run(id, on: place, channel: start.channel, hasToken: hasToken)
            phones[place].activities[activity].begin(with: push, at: now)
            show(push.contentState, of: activity, on: place)
        }
    }

    /// The count of starts that fail for the same reason; nil if the activity starts.
    private static func obstacle(
        toStart push: LiveActivityPush?, onPhoneOf group: PhoneGroup
    ) -> PushCounts.Name? {
        guard let start = push?.start else { return .malformed }
        // The app cannot decode the attributes of another type.
        if let type = group.attributesType, start.attributesType != type { return .malformed }
        if start.channel != nil, !group.hasChannels { return .unsupported }
        return start.activity == nil ? .unidentified : nil
    }

    /// Returns the activity's place. A second start of an activity ends the first on the phone.
    @discardableResult
    private mutating func run(_ id: String, on place: Int, channel: String?, hasToken: Bool) -> Int {
        let serial = phones[place].nextSerial()
        let known = phones[place].place(ofActivity: id)
        if let known { leave(known, on: place) } else { makeRoom(on: place) }
        let activity = known ?? phones[place].activities.count
        if known == nil { phones[place].activities.append(PhoneActivity(id, serial: serial)) }
        phones[place].activities[activity].serial = serial
        phones[place].activities[activity].channel = channel
        phones[place].activities[activity].dueReport = nil
        let number = phones[place].number
        if let channel { subscribers[channel, default: [:]][number] = serial }
        if hasToken {
            phones[place].activities[activity].token = newToken(.activity, ofPhone: number, serial: serial)
            phones[place].noteDueReport(.token, of: activity)
        }
        return activity
    }

    private mutating func makeRoom(on place: Int) {
        let activities = phones[place].activities
        guard activities.count == Phone.activitiesMaximum else { return }
        let oldest = activities.firstIndex { $0.state != .running } ?? 0
        leave(oldest, on: place)
        if let state = activities[oldest].contentState { states.release(state) }
        phones[place].activities.remove(at: oldest)
    }

    /// Leaves token and channel to no activity.
    private mutating func leave(_ activity: Int, on place: Int) {
        unsubscribe(activity, on: place)
        if let token = phones[place].activities[activity].token.take(), uses[token]?.kind == .activity {
            retire(token, as: .activity)
        }
    }

    private mutating func unsubscribe(_ activity: Int, on place: Int) {
        guard let channel = phones[place].activities[activity].channel else { return }
        subscribers[channel]?[phones[place].number] = nil
        if subscribers[channel]?.isEmpty == true { subscribers[channel] = nil }
    }

    private mutating func show(_ text: String, of activity: Int, on place: Int) {
        let shown = states.retain(text)
        if let former = phones[place].activities[activity].contentState { states.release(former) }
        phones[place].activities[activity].contentState = shown
    }

    private mutating func newToken(_ kind: TokenUse.Kind, ofPhone number: Int, serial: UInt32 = 0) -> PhoneToken {
        var token = PhoneToken.random(random)
        while uses[token] != nil { token = PhoneToken.random(random) }
        uses[token] = TokenUse(kind: kind, phone: number, serial: serial)
        return token
    }

    private mutating func retire(_ token: PhoneToken, as kind: TokenUse.Kind) {
        uses[token]?.kind = kind
        formerTokens.append(token)
        guard formerTokens.count > PhoneBook.formerTokensMaximum, let oldest = formerTokens.popFirst() else { return }
        uses[oldest] = nil
    }
}

extension PhoneBook {
    enum RotatedToken: String, Sendable {
        case activity
        case pushToStart = "push_to_start"
    }

    /// Gives a phone new tokens; the old ones have expired. Returns false if it has none.
    mutating func rotate(_ which: RotatedToken, on place: Int) -> Bool {
        let number = phones[place].number
        defer { noteReports(of: place) }
        switch which {
        case .pushToStart:
            retire(phones[place].pushToStartToken, as: .expired)
            phones[place].pushToStartToken = newToken(.pushToStart, ofPhone: number)
            phones[place].isRegistrationDue = phones[place].group.backend != nil
            return true
        case .activity:
            var isChanged = false
            for activity in phones[place].activities.indices {
                guard phones[place].activities[activity].state == .running,
                    let token = phones[place].activities[activity].token
                else { continue }
                retire(token, as: .expired)
                let serial = phones[place].activities[activity].serial
                phones[place].activities[activity].token = newToken(.activity, ofPhone: number, serial: serial)
                phones[place].noteDueReport(.token, of: activity)
                isChanged = true
            }
            return isChanged
        }
    }

    /// The user dismisses all running activities of a phone. Returns false if there are none.
    mutating func dismissActivities(on place: Int) -> Bool {
        var isChanged = false
        for activity in phones[place].activities.indices
        where phones[place].activities[activity].state == .running {
            phones[place].activities[activity].state = .dismissed
            unsubscribe(activity, on: place)
            if let token = phones[place].activities[activity].token { retire(token, as: .unregistered) }
            phones[place].noteDueReport(.removal, of: activity)
            isChanged = true
        }
        noteReports(of: place)
        return isChanged
    }
}

extension PhoneBook {
    private mutating func noteReports(of place: Int) {
        guard !phones[place].isReporting, phones[place].hasDueReport else { return }
        phones[place].isReporting = true
        reports.queue.append(phones[place].number)
    }

    /// The phone's next report; nil, and the phone is no longer reporting, if none is due.
    mutating func nextReport(ofPhone number: Int) -> PhoneReport? {
        guard let place = place(ofPhone: number) else { return nil }
        let report = PhoneReport(dueOn: phones[place])
        if report == nil { phones[place].isReporting = false }
        return report
    }

    mutating func finish(_ report: PhoneReport, device: String?) {
        guard let place = place(ofPhone: report.phone) else { return }
        phones[place].reportsMade += 1
        reports.made += 1
        if let device { phones[place].device = device }
        phones[place].settle(report)
    }

    mutating func fail(_ report: PhoneReport, reason: String) {
        guard let place = place(ofPhone: report.phone) else { return }
        phones[place].reportsFailed += 1
        reports.countFailure(reason)
        phones[place].settle(report)
        // Without an id at the backend the others cannot be made either.
        guard phones[place].device == nil else { return }
        for activity in phones[place].activities.indices { phones[place].activities[activity].dueReport = nil }
    }
}
