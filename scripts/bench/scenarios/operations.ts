import { insertExperiments, insertTemplates, rowsOfPage } from '../data/lists.js'
import { type Duel, everySide, runDuel } from '../duel.js'
import { measureHashRate } from '../hash-rate.js'
import * as requests from '../requests.js'
import type { Scenario, Setting, Tenant } from '../setting.js'
import { insertTemporaryOrganizations } from '../temporary.js'
import { askForBranding, askToRegister } from '../trials.js'

const reads: Record<string, (tenants: Setting['tenants']) => Duel> = {
  audit100: ({ auditMost }) => ({
    title: 'audit events, 100 rows',
    requestsOf: () => [requests.listAuditEvents(auditMost)],
    expectedStatus: 200,
    sides: [...everySide, 'bare text'],
    goals: { limit: 1.4, text: 0.85, handwritten: 2.2 },
  }),
  audit1: ({ audit1 }) => ({
    title: 'audit events, 1 row',
    requestsOf: () => [requests.listAuditEvents(audit1)],
    expectedStatus: 200,
    goals: { limit: 0.85, handwritten: 0.9 },
  }),
  users10: ({ users10 }) => ({
    title: 'users, 10 rows',
    requestsOf: () => [requests.listUsers(users10)],
    expectedStatus: 200,
    goals: { limit: 0.75, handwritten: 1.25 },
  }),
  users100: ({ users100 }) => ({
    title: 'users, 100 rows',
    requestsOf: () => [requests.listUsers(users100)],
    expectedStatus: 200,
    goals: { limit: 0.8, handwritten: 1.4 },
  }),
  templates: ({ templates }) => ({
    title: 'channel templates',
    requestsOf: () => [requests.listTemplates(templates)],
    expectedStatus: 200,
    goals: { limit: 0.85, handwritten: 1.4 },
  }),
}

type Page = 'experiments' | 'templates'

/** A page of a list that is not among the generated data. */
async function pageDuel({ database: { client } }: Setting, page: Page): Promise<Duel> {
  const [tenant] = await insertTemporaryOrganizations(client, 1)
  if (!tenant) throw new Error('There is no organization')
  const isTemplates = page === 'templates'
  await (isTemplates ? insertTemplates : insertExperiments)(client, tenant)
  await client.query(`vacuum (analyze) experiments, channel_templates`)
  const request = (isTemplates ? requests.listTemplates : requests.listExperiments)(tenant)
  return {
    title: `${isTemplates ? 'channel templates' : page}, ${rowsOfPage} rows`,
    requestsOf: () => [request],
    expectedStatus: 200,
    sides: ['service', 'bare agg', 'bare raw'],
    goals: { limit: 0.85 },
  }
}

const brandedOrganizations = 4
async function brandingDuel({ database }: Setting): Promise<Duel> {
  const tenants = await insertTemporaryOrganizations(database.client, brandedOrganizations)
  return {
    title: `branding PUT, ${brandedOrganizations} organizations`,
    requestsOf: (connection) => requests.updateBrandings(tenants, connection),
    expectedStatus: 200,
    ask: (side) => askForBranding(database.client, side, tenants[0] as Tenant),
    goals: { limit: 0.75, handwritten: 1.3 },
  }
}

function registerDuel({ database }: Setting): Duel {
  return {
    title: 'register (argon2id 19 MiB, t=2, p=1)',
    sides: ['service', 'bare agg', 'handwritten'],
    requestsOf: requests.registerAgainAndAgain,
    expectedStatus: 201,
    ask: (side) => askToRegister(database.client, side),
    ceiling: { what: 'argon2 alone, as many threads as cores', measure: measureHashRate },
    goals: { handwritten: 1, ceiling: 0.8 },
  }
}

/** The operations that are measured against the peers. */
export const operationScenarios: Scenario[] = [
  ...Object.entries(reads).map(([name, duel]) => ({
    name,
    run: (setting: Setting) => runDuel(setting, duel(setting.tenants)),
  })),
  ...(['experiments', 'templates'] as const).map((page) => ({
    name: `${page}100`,
    run: async (setting: Setting) => runDuel(setting, await pageDuel(setting, page)),
  })),
  { name: 'branding', run: async (setting) => runDuel(setting, await brandingDuel(setting)) },
  { name: 'register', run: (setting) => runDuel(setting, registerDuel(setting)) },
]
