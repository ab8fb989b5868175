import CommandKit

extension CommandContext {
    /// The same with the bus of `--bus`, of `--data`, of the variables, or of the pipeline that runs here, in this
    /// order.
    func choosingBus(_ arguments: CommandArguments) throws -> CommandContext {
        if let bus = arguments.value(.bus) {
            guard !arguments.has(.data) else { throw UsageError("--bus and --data each name a bus; omit one of them") }
            return choosing(bus: bus)
        }
        let names = ["CARILLON_BUS", "CARILLON_REDIS"]
        try refuse(names, beside: .data, of: arguments)
        guard let local = try LocalData(arguments) else { return self }
        if local.isNamed { return choosing(bus: try local.summary().redis) }
        // A variable of the user goes before a pipeline that was only found.
        guard !isSet(names), let running = local.running else { return self }
        return choosing(bus: running.redis)
    }

    /// A variable that the option overrode silently would let a command change another pipeline than its user thinks.
    func refuse(_ names: [String], beside option: CommandOption, of arguments: CommandArguments) throws(UsageError) {
        guard arguments.has(option), let name = names.first(where: { isSet([$0]) }) else { return }
        throw UsageError(
            "\(option.name) and the variable \(name) may name different pipelines; unset \(name) or omit \(option.name)"
        )
    }

    func isSet(_ names: [String]) -> Bool {
        names.contains { variables[$0]?.isEmpty == false }
    }
}
