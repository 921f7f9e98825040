import type { Bundle } from '../../../src/blueprints/bundle/compose.js'
import type { Arm, Scenario } from '../../../src/blueprints/catalogue/entries.js'

/** A scenario, as it is composed for an organization. */
export interface Pack {
  scenario: Scenario
  bundle: Bundle
  arm: Arm
  /** The name of the organization, as the first page has it. */
  organization?: string
}
