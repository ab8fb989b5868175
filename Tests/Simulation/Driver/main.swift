import Glibc

exit(SimulateCommand.run(Array(CommandLine.arguments.dropFirst())))
