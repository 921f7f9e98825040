import type { Schema } from '../../src/contract.js'
import { t } from '../helpers/file.js'
import { type Member, startService } from '../helpers/service.js'
import { openWorkplace } from '../helpers/workplace.js'

const service = await startService(t)
const { call, url, addMember } = service
const { admin, organization_id, ben, cleo, session } = await openWorkplace(service)
const handler = { user_id: ben.user_id, role_key: 'case_handler' }

t.test('A briefing', async (t) => {
  t.test('has a picture for each person, with initials if there is no own picture', async (t) => {
    const own = { avatar_url: 'https://acme.example/dora.png' }
    const [dora, emil] = [
      await addMember(organization_id, 'employee'),
      await addMember(organization_id, 'employee'),
    ]
    for (const [{ user_id }, fields] of [
      [dora, own],
      [emil, { full_name: ' éva  "Zß" van ßen ' }],
    ] as const) {
      const params = { user_id }
      await call('updateUser', { token: admin.token, params, body: fields })
    }
    const others = [cleo, dora, emil].map(({ user_id }) => ({ user_id }))
    const session_id = await session({ participants: [handler, ...others] })
    const { body } = await call('getBriefing', { token: ben.token, params: { session_id } })
    const drawn = ({ user_id }: Member, initials: string) =>
      `/api/v1/avatars/${user_id}?initials=${encodeURIComponent(initials)}`
    t.strictSame(
      body.participants.map((one: Schema<'BriefedParticipant'>) => one.avatar_url),
      [drawn(ben, 'CT'), drawn(cleo, 'P'), own.avatar_url, drawn(emil, 'ÉS')],
      'the initials are those of the displayed name',
    )
    for (const { avatar_url, character_id, full_name } of body.cast) {
      t.ok(avatar_url.startsWith(`/api/v1/avatars/${character_id}?initials=${full_name[0]}`))
    }
    for (const { avatar_url } of [...body.participants, ...body.cast]) {
      const address = new URL(avatar_url, url)
      if (address.origin !== url) continue
      const picture = await fetch(address)
      t.strictSame([picture.status, picture.headers.get('content-type')], [200, 'image/svg+xml'])
    }
  })
})
