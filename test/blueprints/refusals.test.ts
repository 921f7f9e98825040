import { quickSetupsOf } from '../helpers/blueprints.js'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'

const service = await startService(t)
const { call, registerAdmin } = service
const { request: apply, templatesOf } = quickSetupsOf(service)

const modelFields = [
  'org_culture',
  'pressure_model',
  'team_topology',
  'meeting_model',
  'evaluation_model',
  'relationship_model',
  'consequence_model',
  'knowledge_model',
]

t.test('applyQuickSetup', async (t) => {
  t.test('reports all faults of a request together', async (t) => {
    const admin = await registerAdmin()
    const faulty: [unknown, unknown, string][] = [
      ['team_size', 0, 'greater_than_equal'],
      ['team_size', 51, 'less_than_equal'],
      ['team_size', 1.5, 'int_from_float'],
      ['team_size', '6', 'int_type'],
      ['organization_id', 7, 'string_type'],
      ['scenario_type', null, 'string_type'],
      ['scenario_type', '', 'string_too_short'],
      ['overwrite_existing', null, 'bool_type'],
      ['include_template_payload', 'true', 'bool_type'],
      ['metadata', null, 'dict_type'],
      ['metadata', { text: 'x'.repeat(16_384) }, 'too_large'],
      ...modelFields.map((field): [string, number, string] => [field, 7, 'string_type']),
    ]
    for (const [field, value, type] of faulty) {
      const answer = await apply(admin, { [`${field}`]: value })
      t.equal(answer.status, 422, `${field}: ${type}`)
      t.match(answer.body.detail, [{ loc: ['body', field], type }])
    }
    const two = await apply(admin, { team_size: 0, org_culture: 7 })
    t.equal(two.body.detail.length, 2)
    const nothing = await call('applyQuickSetup', { token: admin.token })
    t.match(nothing.body.detail, [{ loc: ['body'], type: 'missing' }])
    t.strictSame(await templatesOf(admin), [])
  })
})
