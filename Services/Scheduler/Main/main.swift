import Scheduler

await Scheduler.main()
