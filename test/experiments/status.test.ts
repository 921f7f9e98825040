import { createId } from '../../src/formats/identifiers.js'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'

const { call, db, registerAdmin } = await startService(t)
const { token, organization_id } = await registerAdmin()

const update = (experiment_id: string, body: object = {}) =>
  call('updateExperiment', { token, params: { experiment_id }, body })

/** Inserts an experiment, and moves it through these statuses. */
async function experimentThat(...became: string[]) {
  const _id = createId()
  await db.insertInto('experiments').values({ organization_id, _id }).execute()
  for (const status of became) await update(_id, { status })
  return _id
}

const label = 'waiting for the works council'
const all = ['draft', 'scheduled', 'running', 'paused', 'completed', 'cancelled', 'archived']
const afterRun = ['running', 'paused', 'completed', 'cancelled', 'archived']
const without = (list: string[], status: string) => list.filter((one) => one !== status)

/** The path of an experiment to its status, and the known statuses that may follow. */
const stages: [became: string[], allowed: string[]][] = [
  [['draft'], without(all, 'draft')],
  [['scheduled'], without(all, 'scheduled')],
  [['running'], without(afterRun, 'running')],
  [['paused'], without(afterRun, 'paused')],
  [['completed'], ['archived']],
  [['cancelled'], ['archived']],
  [['archived'], []],
  [[label], all],
  [['running', label], afterRun],
  [['paused', label], afterRun],
  [['scheduled', label], all],
  [['running', label, 'another label'], afterRun],
  [['running', 'paused'], without(afterRun, 'paused')],
  [['running', 'cancelled'], ['archived']],
  [['completed', 'archived'], []],
]

t.test('updateExperiment', async (t) => {
  for (const [became, allowed] of stages) {
    const current_status = became.at(-1) ?? ''
    const ended = ['completed', 'cancelled', 'archived'].includes(current_status)
    const path = became.join(', then ')

    t.test(`allows after ${path}: ${allowed.join(', ') || 'nothing else'}`, async (t) => {
      for (const status of all) {
        const _id = await experimentThat(...became)
        const answer = await update(_id, { status, name: 'With the status' })
        if (status === current_status || allowed.includes(status)) {
          t.match(answer, { status: 200, body: { status, name: 'With the status' } }, status)
          continue
        }
        t.equal(answer.status, 409, status)
        t.match(answer.body, { code: 'invalid_status_transition', detail: /\S/, current_status })
        t.strictSame(answer.body.allowed_statuses, allowed)
        t.match((await update(_id)).body, { status: current_status, name: null })
      }
    })

    t.test(`${ended ? 'refuses' : 'accepts'} a label after ${path}`, async (t) => {
      const answer = await update(await experimentThat(...became), { status: 'our own label' })
      t.equal(answer.status, ended ? 409 : 200)
      if (ended) t.strictSame(answer.body.allowed_statuses, allowed)
      else t.equal(answer.body.status, 'our own label')
    })
  }

  t.test('treats a known status with other capital letters as a label', async (t) => {
    const _id = await experimentThat('Completed')
    t.match(await update(_id, { status: 'draft' }), { status: 200, body: { status: 'draft' } })
  })
})
