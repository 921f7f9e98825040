import { isMet, printOutcome } from './bench/report.js'
import { readSoakOptions } from './bench/soak/options.js'
import { soak } from './bench/soak/soak.js'

// So that `exit` comes, and with it the end of the processes that were started.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130))

/** For what comes after the storms: what they left is verified. */
const mostExtraMinutes = 30

try {
  const options = readSoakOptions(process.argv.slice(2))
  if (options) {
    const giveUp = () => {
      console.error('The soak does not come to its end')
      process.exit(1)
    }
    const timer = setTimeout(giveUp, (options.minutes + mostExtraMinutes) * 60_000)
    const outcome = await soak(options)
    clearTimeout(timer)
    printOutcome('soak', outcome)
    if (!outcome.goals.every((goal) => isMet(goal))) process.exitCode = 1
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}
