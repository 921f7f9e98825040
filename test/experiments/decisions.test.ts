import type { Schema } from '../../src/contract.js'
import { createId } from '../../src/formats/identifiers.js'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'
import { addCharacter, ask, messageOf } from '../helpers/templates.js'

const { call, db, registerAdmin } = await startService(t)
const { token, organization_id } = await registerAdmin()
const marta = await addCharacter(db, organization_id)

const depends = { only_if: { beat: 'a', options: ['yes'] } }

/** Returns the check of an experiment with a session of each of these scenarios in an arm. */
async function checkOf(
  control: string | string[],
  intervention = control,
  elsewhere: string[] = [],
): Promise<Schema<'ReadinessCheck'> | undefined> {
  const session = async (scenario_name: string) => {
    const body = { name: 'Tuesday', scenario_name }
    return (await call('createSession', { token, body })).body._id
  }
  const body = {
    name: 'Draft',
    control_session_ids: await Promise.all([control].flat().map(session)),
    intervention_session_ids: [
      ...(await Promise.all([intervention].flat().map(session))),
      ...elsewhere,
    ],
  }
  const { _id: experiment_id } = (await call('createExperiment', { token, body })).body
  const { body: found } = await call('getExperimentReadiness', { token, params: { experiment_id } })
  const checks: Schema<'ReadinessCheck'>[] = found.checks
  return checks.find(({ check }) => check === 'same_decisions')
}

async function scenarioOf(...metadata: Record<string, unknown>[]): Promise<string> {
  const scenario_name = createId()
  for (const one of metadata) {
    const message_templates = [messageOf(marta, { metadata: one })]
    const body = { channel_name: createId(), scenario_name, message_templates }
    t.equal((await call('createChannelTemplate', { token, body })).status, 201)
  }
  return scenario_name
}

const [control, intervention] = [{ arm: 'control' }, { arm: 'intervention' }]
const shared: [title: string, metadata: Record<string, unknown>[]][] = [
  ['have no decisions', [{ kind: 'notice', ...control }]],
  ['share all lines', [ask('a'), depends]],
  ['ask the same in separate lines', [ask('a', control), ask('a', intervention)]],
  ['share the conditions', [ask('a'), { ...depends, ...control }, { ...depends, ...intervention }]],
]
const three = ask('a', intervention, ['yes', 'no', 'later'])
const different: [title: string, metadata: Record<string, unknown>[], beats: string][] = [
  ['only one arm asks', [ask('a', control)], 'a'],
  ['each arm asks another decision', [ask('a', control), ask('b', intervention)], 'a and b'],
  ['one arm has another option', [ask('a', control), three], 'a'],
  ['only one arm has a condition', [ask('a'), { ...depends, ...intervention }], 'a'],
  ['only one arm has unless', [ask('a'), { unless: depends.only_if, ...control }], 'a'],
]

t.test('getExperimentReadiness', async (t) => {
  for (const [title, metadata] of shared) {
    t.test(`passes same_decisions when the arms ${title}`, async (t) => {
      t.match(await checkOf(await scenarioOf(...metadata)), { passed: true, fix: null })
    })
  }

  for (const [title, metadata, beats] of different) {
    t.test(`fails same_decisions when ${title}`, async (t) => {
      t.match(await checkOf(await scenarioOf(...metadata)), {
        passed: false,
        message: `The arms differ in these decisions: ${beats}.`,
        fix: /same decisions with the same options/,
      })
    })
  }

  t.test('compares the scenario of one arm with the scenario of the other', async (t) => {
    const asksA = await scenarioOf(ask('a'), depends)
    const alsoAsksA = await scenarioOf(ask('a'), { ...depends, kind: 'notice' })
    t.match(await checkOf(asksA, alsoAsksA), { passed: true })
    const asksB = await scenarioOf(ask('b'))
    const fix = /^Play the same scenarios in both arms/
    const message = 'The arms differ in these decisions: a and b.'
    t.match(await checkOf(asksA, asksB), { passed: false, message, fix })
    const asksNothing = await scenarioOf({ kind: 'notice' })
    t.match(await checkOf(asksNothing, asksB), { passed: false })
    t.match(await checkOf([asksA, asksB], [asksA]), { passed: false })
    t.match(await checkOf([asksA, alsoAsksA], [asksA]), { passed: false })
  })

  t.test(
    'compares within the scenarios of one arm if the other has unknown sessions',
    async (t) => {
      const asksA = await scenarioOf(ask('a'), depends)
      const asksB = await scenarioOf(ask('b', control))
      const none = { passed: false, message: 'An arm has no session to compare.' }
      t.match(await checkOf([asksA], []), none)
      t.match(await checkOf([asksA, asksB], [asksA]), { passed: false })
      t.match(await checkOf([asksB], []), { passed: false, message: /: b\.$/ })
      const elsewhere = ['a session of another system']
      t.match(await checkOf([asksA], [], elsewhere), { passed: true })
    },
  )

  t.test('does not compare more than 1 MiB of messages that branch', async (t) => {
    const note = 'x'.repeat(15_000)
    const scenario_name = createId()
    const message_templates = Array(17).fill(messageOf(marta, { metadata: { ...depends, note } }))
    for (let i = 0; i < 5; i += 1) {
      const body = { channel_name: `${i}`, scenario_name, message_templates }
      await call('createChannelTemplate', { token, body })
    }
    t.match(await checkOf(scenario_name), { passed: false, message: /too many messages/ })
  })
})
