import { t } from '../helpers/file.js'
import { auditEvents, type Member, startService } from '../helpers/service.js'
import { openWorkplace } from '../helpers/workplace.js'

const service = await startService(t)
const { call } = service

const briefing = async ({ token }: Member, session_id: string) =>
  (await call('getBriefing', { token, params: { session_id } })).body
const joinWith = ({ token }: Member, session_id: string, consent_version?: number | null) =>
  call('joinSession', {
    token,
    params: { session_id },
    body: { consent: true, ...(consent_version !== undefined && { consent_version }) },
  })
const leave = ({ token }: Member, session_id: string) =>
  call('leaveSession', { token, params: { session_id } })
const write = ({ token, organization_id }: Member, text: string) =>
  call('createConsentText', { token, params: { organization_id }, body: { text } })

/** Opens a new workplace, because a consent text applies to the whole organization. */
async function openDraft() {
  const workplace = await openWorkplace(service)
  const { ben, cleo, session } = workplace
  const participants = [ben, cleo].map(({ user_id }) => ({ user_id }))
  return { ...workplace, session_id: await session({ participants }) }
}

t.test('getBriefing', async (t) => {
  t.test('has the current text, and for joined participants the one they agreed to', async (t) => {
    const { admin, hr, ben, cleo, session_id } = await openDraft()
    const first = (await briefing(ben, session_id)).consent
    t.match(first, { version: 0, text: /What is recorded/ })
    await joinWith(ben, session_id, 0)
    const { version, sha256 } = (await write(admin, 'Ours.')).body
    const current = { version, sha256, text: 'Ours.' }
    t.strictSame((await briefing(ben, session_id)).consent, first)
    for (const one of [cleo, hr]) t.strictSame((await briefing(one, session_id)).consent, current)
    await leave(ben, session_id)
    t.strictSame((await briefing(ben, session_id)).consent, current, 'they are asked again')
  })
})

t.test('joinSession', async (t) => {
  t.test('stores the version and its hash in the place', async (t) => {
    const { admin, hr, ben, cleo, session_id } = await openDraft()
    const { version, sha256 } = (await write(admin, 'Ours.')).body
    const { status, body } = await joinWith(ben, session_id, version)
    t.equal(status, 200)
    t.strictSame(body.consent, { version, sha256 })
    await write(admin, 'Ours, but longer.')
    t.equal((await joinWith(cleo, session_id, 2)).status, 200)
    const params = { session_id }
    const places = (await call('listParticipants', { token: hr.token, params })).body
    t.match(places, [{ consent: { version: 1, sha256 } }, { consent: { version: 2 } }])
    const [, event] = await auditEvents(call, admin, { event_type: 'participant_joined' })
    t.match(event, { metadata: { consent_version: version, consent_sha256: sha256 } })
  })

  t.test('is a 409 for a version that is not current, and names the current one', async (t) => {
    const { admin, ben, session_id } = await openDraft()
    await write(admin, 'Ours.')
    for (const version of [0, 2]) {
      const refused = await joinWith(ben, session_id, version)
      t.equal(refused.status, 409)
      t.match(refused.body, { code: 'consent_outdated', current_version: 1 })
    }
    t.equal((await briefing(ben, session_id)).joined, false)
    t.equal((await joinWith(ben, session_id, 1)).status, 200)
  })

  t.test('answers a repeated request like the first, also after a new version', async (t) => {
    const { admin, ben, session_id } = await openDraft()
    const { body } = await joinWith(ben, session_id, 0)
    await write(admin, 'Ours.')
    const again = await joinWith(ben, session_id, 0)
    t.equal(again.status, 200)
    t.strictSame(again.body, body)
  })

  t.test('keeps no version without consent_version, also when joining again', async (t) => {
    const { ben, cleo, session_id } = await openDraft()
    for (const version of [undefined, null]) {
      t.equal((await joinWith(cleo, session_id, version)).body.consent, null)
    }
    t.equal((await briefing(cleo, session_id)).consent.version, 0)
    await joinWith(ben, session_id, 0)
    await leave(ben, session_id)
    t.equal((await joinWith(ben, session_id)).body.consent, null)
  })

  t.test('requires the version of a text of the organization', async (t) => {
    const { admin, ben, session_id } = await openDraft()
    await write(admin, 'Ours.')
    const detail = [{ loc: ['body', 'consent_version'], type: 'missing' }]
    for (const version of [undefined, null]) {
      t.match(await joinWith(ben, session_id, version), { status: 422, body: { detail } })
    }
    t.equal((await briefing(ben, session_id)).joined, false)
    t.equal((await joinWith(ben, session_id, 1)).status, 200)
  })

  t.test('requires consent also with a version', async (t) => {
    const { ben, session_id } = await openDraft()
    const params = { session_id }
    const body = { consent_version: 0 }
    t.equal((await call('joinSession', { token: ben.token, params, body })).status, 422)
  })
})
