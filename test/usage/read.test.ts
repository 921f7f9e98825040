import { sealTrail } from '../../src/audit-events/sealing/seal.js'
import { limitNames, limits } from '../../src/limits.js'
import { insertEvents } from '../helpers/events.js'
import { t } from '../helpers/file.js'
import { setLimits } from '../helpers/limits.js'
import { auditEvents, type Member, startService } from '../helpers/service.js'
import { examplesIn, locate, mediaAt, operations, pointerOf } from '../helpers/walk.js'

const { call, db, registerAdmin, addOrganization, addMember } = await startService(t)

const get = ({ token }: Member, organization_id: string) =>
  call('getUsage', { token, params: { organization_id } })

interface Line {
  name: string
  used: number | null
  allowed: number
  default: number
}

async function usageOf(as: Member, organization_id = as.organization_id) {
  const { body } = await get(as, organization_id)
  return new Map<string, Line>(body.limits.map((one: Line) => [one.name, one]))
}

/** Returns how much of these limits is used. */
async function usedOf(as: Member, ...names: string[]) {
  const usage = await usageOf(as)
  return names.map((name) => usage.get(name)?.used)
}

t.test('getUsage', async (t) => {
  t.test('lists every limit of the code, in the same order and with the same names', async (t) => {
    const admin = await registerAdmin()
    const { status, body } = await get(admin, admin.organization_id)
    t.equal(status, 200)
    t.equal(body.organization_id, admin.organization_id)
    t.strictSame(
      body.limits.map(({ used, ...limit }: Line) => limit),
      limitNames.map((name) => {
        const { per, description, allowed } = limits[name]
        return { name, per, description, allowed, default: allowed }
      }),
    )
  })

  t.test('counts what is stored, and the events before and after they are sealed', async (t) => {
    const admin = await registerAdmin()
    const { token, organization_id } = admin
    const body = { scenario_type: 'hr_workforce', team_size: 4 }
    const setup = (await call('applyQuickSetup', { token, body })).body
    const starts_at = '2099-01-01T00:00:00Z'
    for (const fields of [{}, { starts_at }]) {
      const body = { name: 'Tuesday', scenario_name: 'hr_workforce', ...fields }
      await call('createSession', { token, body })
    }
    const names = ['people', 'templates', 'scenario_templates', 'experiments', 'quick_setups']
    const { channel_templates } = setup.created
    t.strictSame(await usedOf(admin, ...names), [5, channel_templates, channel_templates, 1, 1])
    t.strictSame(
      await usedOf(admin, 'sessions', 'sessions_scheduled', 'sessions_running'),
      [2, 1, 0],
    )
    t.strictSame(await usedOf(admin, 'session_messages', 'streams'), [null, 0])
    const [bytes, ofScenario] = await usedOf(admin, 'template_bytes', 'scenario_template_bytes')
    const { body: templates } = await call('listChannelTemplates', { token })
    const texts = templates.map((one: { message_templates: object }) => one.message_templates)
    t.ok(Number(bytes) >= JSON.stringify(texts).length, 'the length of their text')
    t.equal(ofScenario, bytes)

    const events = await auditEvents(call, admin)
    t.strictSame(await usedOf(admin, 'events_per_day'), [events.length])
    await sealTrail(db, organization_id)
    t.strictSame(await usedOf(admin, 'events_per_day'), [events.length])
  })

  t.test('counts no event of earlier days', async (t) => {
    const admin = await addOrganization()
    const { organization_id } = admin
    const created_at = new Date(Date.now() - 3 * 86_400_000).toISOString()
    const old = Array.from({ length: 7 }, () => ({ organization_id, created_at }))
    await insertEvents(db, old)
    await sealTrail(db, organization_id)
    t.strictSame(await usedOf(admin, 'events_per_day'), [0])
    await insertEvents(db, [{ organization_id }, { organization_id }])
    t.strictSame(await usedOf(admin, 'events_per_day'), [2])
    await sealTrail(db, organization_id)
    t.strictSame(await usedOf(admin, 'events_per_day'), [2])
  })

  t.test('shows what an operator allows, for this organization only', async (t) => {
    const admin = await registerAdmin()
    const other = await registerAdmin()
    await setLimits(db, admin.organization_id, { templates: 12, exports: 0 })
    t.match((await usageOf(admin)).get('templates'), { allowed: 12, default: 10_000 })
    t.match((await usageOf(admin)).get('exports'), { allowed: 0, default: 10 })
    t.match((await usageOf(other)).get('templates'), { allowed: 10_000 })
    await setLimits(db, admin.organization_id, { templates: null })
    t.match((await usageOf(admin)).get('templates'), { allowed: 10_000 })
  })

  t.test('is open to a super_admin of another organization', async (t) => {
    const admin = await registerAdmin()
    const { organization_id } = admin
    const foreigner = await registerAdmin()
    const refused = await get(foreigner, organization_id)
    t.match(refused, { status: 404, body: { code: 'organization_not_found' } })
    const operator = await addMember(foreigner.organization_id, 'super_admin')
    t.equal((await get(operator, organization_id)).body.organization_id, organization_id)
  })
})

/**
 * Operations that stop, end, revoke, remove or delete something need no room for another event. Nor do those
 * that verify an address, which makes more room.
 */
const exemptOperations = [
  'logout',
  'verifyEmail',
  'resendVerification',
  'changePassword',
  'revokeApiKey',
  'revokeInvitation',
  'revokeSeatLink',
  'pauseSession',
  'endSession',
  'leaveSession',
  'removeParticipant',
  'deleteChannelTemplate',
  'deleteExperiment',
  'deleteSession',
  'deleteSessionNote',
]

t.test('The contract', async (t) => {
  t.test('has the same limits as the code', async (t) => {
    const { node } = locate<{ enum: string[] }>(['components', 'schemas', 'KnownLimit'])
    t.strictSame(node.enum, limitNames)
  })

  t.test('lists for each operation the limits that it can exceed', async (t) => {
    const documented = new Set(operations.flatMap(({ quotas }) => quotas))
    t.strictSame(
      [...documented].sort(),
      [...limitNames].sort(),
      'each limit can be exceeded by some operation',
    )
    for (const { operationId, quotas, roles, auditEvents } of operations) {
      // The limit does not apply to a super_admin.
      const isLimited = roles?.some((role) => role !== 'super_admin') ?? false
      const records = isLimited && auditEvents.length > 0
      const isChecked = records && !exemptOperations.includes(operationId)
      t.equal(quotas.includes('events_per_day'), isChecked, operationId)
      const isOfParticipants = roles?.some((role) => role === 'executive' || role === 'employee')
      const isCounted = isChecked && isOfParticipants
      t.equal(quotas.includes('participant_events_per_day'), isCounted, operationId)
    }
  })

  t.test('documents a 409 for operations with a limit', async (t) => {
    for (const operation of operations) {
      const pointer = [...pointerOf(operation), 'responses']
      const { node } = locate<Record<string, unknown>>(pointer)
      const media = '409' in node ? mediaAt([...pointer, '409']) : undefined
      const examples = media ? examplesIn(media) : []
      const codes = examples.map((one) => Reflect.get(Object(one), 'code'))
      const { operationId, quotas } = operation
      t.equal(codes.includes('quota_exceeded'), quotas.length > 0, operationId)
    }
  })
})
