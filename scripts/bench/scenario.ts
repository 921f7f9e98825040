import type { Account } from './accounts.js'
import type { TenantName } from './data/tenants.js'
import type { BenchDatabase } from './database/bench-database.js'
import type { Options } from './options.js'
import type { Findings, Goals } from './report.js'

/** The input of every scenario. */
export interface Bench {
  options: Options
  database: BenchDatabase
  /** The admins of the generated organizations that scenarios use by name. */
  tenants: Record<TenantName, Account>
}

export interface Scenario {
  name: string
  question: string
  goals: Goals
  run(bench: Bench): Promise<Findings>
}

/** Checks at compile time that a scenario measures a figure for each of its goals. */
export const defineScenario = <What extends string>(scenario: {
  name: string
  question: string
  goals: Goals<What>
  run(bench: Bench): Promise<Findings<What>>
}): Scenario => scenario
