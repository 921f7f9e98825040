import type { Role } from '../../src/contract.js'
import { t } from '../helpers/file.js'
import { setLimits } from '../helpers/limits.js'
import { seatsOf } from '../helpers/seats.js'
import { type Member, startService } from '../helpers/service.js'
import { openStage } from '../helpers/stage.js'
import { rowsWritten } from '../helpers/templates.js'

const service = await startService(t)
const { call, db, registerAdmin, addMember } = service

const exceeded = (allowed: number) => ({
  status: 409,
  body: {
    ...{ code: 'quota_exceeded', quota: 'participant_events_per_day' },
    ...{ used: allowed, allowed },
  },
})

t.test('A limit of participant_events_per_day', async (t) => {
  t.test('applies to each executive and employee, but not to those who lead', async (t) => {
    const admin = await registerAdmin()
    const { organization_id } = admin
    await setLimits(db, organization_id, { participant_events_per_day: 2 })
    const member = (role: Role) => addMember(organization_id, role)
    const rename = ({ token, user_id }: Member) => {
      const body = { full_name: `Ada ${Math.random()}` }
      return call('updateUser', { token, params: { user_id }, body })
    }
    for (const one of [await member('executive'), await member('employee')]) {
      t.equal((await rename(one)).status, 200)
      t.equal((await rename(one)).status, 200)
      const before = await rowsWritten(db, organization_id)
      t.match(await rename(one), exceeded(2))
      t.strictSame(await rowsWritten(db, organization_id), before)
    }
    for (const one of [admin, await member('hr')]) {
      for (let count = 0; count < 3; count++) t.equal((await rename(one)).status, 200)
    }
  })

  t.test('applies to a guest who joins and leaves again and again', async (t) => {
    const { admin, organization_id, draft } = await openStage(service)
    const { createLinks, take, joinAs } = seatsOf(service)
    await setLimits(db, organization_id, { participant_events_per_day: 1 })
    const session = await draft({ participants: [] })
    const [first, second] = await createLinks(admin, session._id, [
      { guest: true },
      { guest: true },
    ])
    const guest = await take(first)
    const params = { session_id: session._id }
    const leave = () => call('leaveSession', { token: guest.token, params })
    t.equal((await joinAs(guest, 'Ines')).status, 200)
    t.equal((await leave()).status, 204)
    t.match(await joinAs(guest, 'Ines'), exceeded(1))
    t.equal((await joinAs(await take(second), 'Juan')).status, 200, 'each seat has its own limit')
  })
})
