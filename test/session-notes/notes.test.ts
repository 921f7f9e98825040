import type { Schema } from '../../src/contract.js'
import { createId } from '../../src/formats/identifiers.js'
import { t } from '../helpers/file.js'
import { setLimits } from '../helpers/limits.js'
import { auditEvents, type Member, startService } from '../helpers/service.js'
import { by, openWorkplace } from '../helpers/workplace.js'

const service = await startService(t)
const { call, db, addMember } = service
const workplace = await openWorkplace(service)
const { admin, organization_id, hr, rater, ben, session, sessionWith, join } = workplace

type Note = Partial<Schema<'NewSessionNote'>>

const take = ({ token }: Member, session_id: string, note: Note) =>
  call('createSessionNote', { token, params: { session_id }, body: note })
const list = ({ token }: Member, session_id: string, query: Record<string, string> = {}) =>
  call('listSessionNotes', { token, params: { session_id }, query })
const remove = ({ token }: Member, session_id: string, note_id: string) =>
  call('deleteSessionNote', { token, params: { session_id, note_id } })
const contents = (notes: Schema<'SessionNote'>[]) => notes.map(({ content }) => content)
const draft = () => session({ rater_ids: [rater.user_id] })

t.test('createSessionNote', async (t) => {
  t.test("stores a note with its author and the time on the session's clock", async (t) => {
    const session_id = await sessionWith([by(ben, 'Here.')])
    const [message] = await db
      .selectFrom('session_messages')
      .select('_id')
      .where('organization_id', '=', organization_id)
      .where('session_id', '=', session_id)
      .execute()
    const params = { user_id: rater.user_id }
    const named = { full_name: 'Rosa Meyer' }
    await call('updateUser', { token: admin.token, params, body: named })
    const content = 'They ask first.\nThen they answer.'
    const note = { content, message_id: message?._id ?? '' }
    const { status, body } = await take(rater, session_id, note)
    t.equal(status, 201)
    t.match(body, { session_id, author_id: rater.user_id, author_name: 'Rosa Meyer', ...note })
    t.ok(body.elapsed_ms >= 0 && body.elapsed_ms < 600_000)
    t.strictSame((await list(rater, session_id)).body, [body])
    const filters = { case_id: session_id, event_type: 'session_note_created' }
    const [event] = await auditEvents(call, admin, filters)
    const metadata = { note_id: body._id, message_id: note.message_id }
    t.match(event, { actor_id: rater.user_id, metadata })
    t.notMatch(JSON.stringify(event), /They ask/)
  })

  t.test('has no time on the clock before the start', async (t) => {
    const { body } = await take(hr, await draft(), { content: 'The room is cold.' })
    t.match(body, { elapsed_ms: null, message_id: null })
  })

  t.test('is refused for participants, like the other operations on notes', async (t) => {
    const session_id = await sessionWith([])
    const executive = await addMember(organization_id, 'executive')
    const params = { session_id, user_id: executive.user_id }
    await call('addParticipant', { token: admin.token, params })
    await join(executive, session_id)
    for (const answer of [
      await take(executive, session_id, { content: 'Well.' }),
      await list(executive, session_id),
      await remove(executive, session_id, createId()),
    ]) {
      t.match(answer, { status: 403, body: { code: 'insufficient_role' } })
    }
    const outsider = await addMember(organization_id, 'executive')
    t.equal((await take(outsider, session_id, { content: 'Well.' })).status, 404)
    t.equal((await list(outsider, session_id)).status, 404)
  })

  t.test('refuses a blank note, and one about a message of another session', async (t) => {
    const session_id = await sessionWith([])
    const other = await sessionWith([by(ben, 'Elsewhere.')])
    const { body } = await call('listSessionMessages', {
      token: hr.token,
      params: { session_id: other },
    })
    for (const [note, loc, type] of [
      [{ content: ' \n' }, 'content', 'string_pattern_mismatch'],
      [{ content: 'Well.', message_id: body[0]._id }, 'message_id', 'unknown_message'],
      [{ content: 'Well.', message_id: 'x' }, 'message_id', 'unknown_message'],
    ] as const) {
      const answer = await take(hr, session_id, note)
      t.match(answer, { status: 422, body: { detail: [{ loc: ['body', loc], type }] } })
    }
    t.strictSame((await list(hr, session_id)).body, [])
  })

  t.test('stores no more notes for a session than the limit of the organization', async (t) => {
    const session_id = await draft()
    await setLimits(db, organization_id, { note_bytes: 1_000 })
    t.teardown(() => setLimits(db, organization_id, { note_bytes: null }))
    t.equal((await take(hr, session_id, { content: 'x'.repeat(600) })).status, 201)
    const refused = await take(hr, session_id, { content: 'x' })
    const quota = { quota: 'note_bytes', used: 900, allowed: 1_000 }
    t.match(refused, { status: 409, body: { code: 'quota_exceeded', ...quota } })
    t.equal((await list(hr, session_id)).body.length, 1)
  })
})

t.test('listSessionNotes', async (t) => {
  t.test('shows trainers all notes by time, and raters their own', async (t) => {
    const session_id = await draft()
    await take(rater, session_id, { content: 'one' })
    await take(hr, session_id, { content: 'two' })
    await take(rater, session_id, { content: 'three' })
    t.strictSame(contents((await list(admin, session_id)).body), ['one', 'two', 'three'])
    t.strictSame(contents((await list(rater, session_id)).body), ['one', 'three'])
  })

  t.test('continues with the next page', async (t) => {
    const session_id = await draft()
    for (const content of ['one', 'two', 'three']) await take(hr, session_id, { content })
    const { headers, body } = await list(hr, session_id, { limit: '2' })
    t.strictSame(contents(body), ['one', 'two'])
    const [, cursor = ''] = headers.get('link')?.match(/cursor=([^&>]+)/) ?? []
    const next = await list(hr, session_id, { limit: '2', cursor })
    t.strictSame(contents(next.body), ['three'])
    t.equal(next.headers.get('link'), null)
  })

  t.test('continues after a note that was deleted, but only in its own session', async (t) => {
    const session_id = await draft()
    for (const content of ['one', 'two', 'three']) await take(hr, session_id, { content })
    const { headers, body } = await list(hr, session_id, { limit: '2' })
    const [, cursor = ''] = headers.get('link')?.match(/cursor=([^&>]+)/) ?? []
    await remove(hr, session_id, body[1]._id)
    t.strictSame(contents((await list(hr, session_id, { cursor })).body), ['three'])
    const withoutList = cursor.split('.')[0] ?? ''
    const older = await list(hr, session_id, { cursor: withoutList })
    t.strictSame(contents(older.body), ['three'], 'a cursor from before cursors named their list')
    const other = await draft()
    await take(hr, other, { content: 'four' })
    const token = hr.token
    for (const refused of [
      await list(hr, other, { cursor }),
      await call('listUsers', { token, query: { cursor } }),
      await call('listSessionMessages', { token, params: { session_id }, query: { cursor } }),
    ]) {
      t.equal(refused.status, 422)
      t.match(refused.body.detail, [{ loc: ['query', 'cursor'], type: 'cursor_invalid' }])
    }
  })
})

t.test('deleteSessionNote', async (t) => {
  t.test('deletes a note of a rater, and records it', async (t) => {
    const session_id = await draft()
    const { body: own } = await take(rater, session_id, { content: 'one' })
    const { body: other } = await take(hr, session_id, { content: 'two' })
    for (const _id of [other._id, createId(), 'x']) {
      const answer = await remove(rater, session_id, _id)
      t.match(answer, { status: 404, body: { code: 'note_not_found' } })
    }
    t.equal(
      (await remove(rater, await draft(), own._id)).status,
      404,
      'the note belongs to another session',
    )
    t.equal((await remove(rater, session_id, own._id)).status, 204)
    t.strictSame(contents((await list(admin, session_id)).body), ['two'])
    const filters = { case_id: session_id, event_type: 'session_note_deleted' }
    const metadata = { note_id: own._id, author_id: rater.user_id }
    t.match(await auditEvents(call, admin, filters), [{ actor_id: rater.user_id, metadata }])
    t.equal(
      (await remove(admin, session_id, other._id)).status,
      204,
      'a trainer can delete any note',
    )
  })
})
