import { parseArgs } from 'node:util'
import { loadCatalogue } from '../src/blueprints/catalogue/load.js'
import { readConfig } from '../src/process/config.js'
import { measureCatalogue } from './catalogue/measure.js'
import type { Finding, Measured } from './catalogue/measured.js'

const usage = `Checks the catalogue against its content standard: npm run catalogue:check [-- OPTIONS]

  --scenario NAME   only this scenario, without the rules that compare scenarios
  --fast            each value of the models, but not each pair of values, which takes minutes
  --dir FOLDER      an organization's own files beside ours, as CATALOGUE_DIR

Prints each rule with its figure and its bound, and below it the findings that break it. Exits with 0
without findings, with 1 with findings, with 2 when there is nothing to check.`

const options = {
  scenario: { type: 'string' },
  fast: { type: 'boolean', default: false },
  dir: { type: 'string' },
  help: { type: 'boolean' },
} as const

/** The most findings that are printed of a rule. */
const maxPrinted = 25

function check(): boolean {
  const { values } = parseArgs({ options })
  if (values.help) {
    console.log(usage)
    return true
  }
  const catalogue = loadCatalogue(values.dir ?? readConfig().catalogueDir ?? undefined)
  const all = [...catalogue.scenarios.values()]
  const wanted = all.filter((one) => one.scenario_type === (values.scenario ?? one.scenario_type))
  if (wanted.length === 0) {
    const known = all.map((one) => one.scenario_type).join(', ')
    throw new Error(`There is no scenario ${values.scenario}: ${known}`)
  }
  const measured = measureCatalogue(catalogue, wanted, { pairs: !values.fast })
  for (const rule of new Set(measured.map((one) => one.rule))) {
    print(measured.filter((one) => one.rule === rule))
  }
  const findings = measured.flatMap((one) => one.findings).length
  console.log(findings === 0 ? 'no finding' : `${findings} findings`)
  return findings === 0
}

/** Prints one rule with its results of all scenarios. */
function print(results: Measured[]): void {
  const findings = results.flatMap((result) => result.findings)
  const figures = [...new Set(results.map(({ figure }) => figure))].join(' · ')
  const bounds = [...new Set(results.map(({ bound }) => bound))].join(' or ')
  const mark = findings.length === 0 ? 'ok ' : 'NOT'
  console.log(`${mark} ${results[0]?.rule}: ${figures} (${bounds})`)
  for (const finding of findings.slice(0, maxPrinted)) console.log(`      ${describe(finding)}`)
  if (findings.length > maxPrinted) console.log(`      … and ${findings.length - maxPrinted} more`)
}

function describe(finding: Finding): string {
  const { scenario, models, size, arm, path, channel, line, message } = finding
  const where = [
    scenario,
    models,
    size && `${size} character${size === 1 ? '' : 's'}`,
    arm,
    path,
    channel,
    line,
  ]
  return `${where.filter(Boolean).join(' / ')}: ${message}`
}

try {
  process.exitCode = check() ? 0 : 1
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 2
}
