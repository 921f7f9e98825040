import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Schema } from '../../../src/contract.js'
import { t } from '../../helpers/file.js'
import { scenarioOfReadme } from '../../helpers/own-scenario.js'
import { startService } from '../../helpers/service.js'

const folder = t.testdir()
mkdirSync(join(folder, 'scenarios'))
writeFileSync(join(folder, 'scenarios/drill.yaml'), scenarioOfReadme())
const { call, registerAdmin } = await startService(t, { CATALOGUE_DIR: folder })
const { token } = await registerAdmin()
const scenario_type = 'evacuation'

t.test("A service with an organization's own catalogue files", async (t) => {
  t.test('lists their scenarios next to the built-in ones', async (t) => {
    const { body } = await call('listBlueprints', { token })
    const types = (body as Schema<'BlueprintList'>).map((one) => one.scenario_type)
    t.ok(types.includes('evacuation') && types.includes('hr_workforce'))
    const { body: own } = await call('getBlueprint', { token, params: { scenario_type } })
    t.match(own, { label: 'Evacuation', cast: [{ slot: 'lead' }, { slot: 'owner' }] })
  })

  t.test('sets them up with all their messages', async (t) => {
    const { body } = await call('applyQuickSetup', { token, body: { scenario_type, team_size: 3 } })
    t.strictSame(body.warnings, [])
    const query = { scenario_name: scenario_type, limit: '500' }
    const templates = (await call('listChannelTemplates', { token, query })).body
    const json = JSON.stringify(templates)
    for (const text of ['Who saw them last?', 'I have to say whether we open', 'stays shut']) {
      t.ok(json.includes(text), text)
    }
    t.match(json, /The list is being checked.*Two visitors are not found|Two visitors.*The list is/)
  })
})

t.test('A service does not start with invalid catalogue files', async (t) => {
  const faulty = t.testdir({ scenarios: { 'drill.yaml': 'scenario_type: evacuation\n' } })
  const start = startService(t, { CATALOGUE_DIR: faulty })
  await t.rejects(start, /scenarios\/drill\.yaml:1: must have required property 'label'/)
})
