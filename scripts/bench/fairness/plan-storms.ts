import { jsonRequest } from '../client.js'
import { temporaryEmail } from '../temporary.js'
import type { Target } from './arena.js'
import { type Library, sendShot, storeLibrary } from './scenery.js'
import { playing } from './session-storms.js'
import { type Storm, stormOf } from './storm.js'

const messagesOfTemplate = 500

/** Lines that all wait for an answer. */
const waiting = (scenario_name: string, lines: number): Library => ({
  ...{ scenario_name, channels: lines / messagesOfTemplate, messages: messagesOfTemplate },
  content: (number) => `Line ${number}: what do you think?`,
  metadata: (number) => ({
    beat: `beat-${number}`,
    drill_minute: 1 + (number % 80),
    expectation: { act: 'answer', deadline_minutes: 5 },
  }),
})

const plansOf = (name: string, lines: number, connections?: number) =>
  stormOf(
    name,
    async ({ url, stormer: account, isSmall }) => {
      const scenario_name = 'long'
      await storeLibrary({ url, account }, waiting(scenario_name, isSmall ? lines / 10 : lines))
      return playing(account, { scenario_name })
    },
    connections,
  )

const participants = 100

/** People whose full names are as long as a name may be. */
async function inviteTeam({ url, stormer }: Target): Promise<string[]> {
  const invitations = Array.from({ length: participants }, () => ({
    email: temporaryEmail(),
    first_name: 'Maximiliana'.padEnd(100, 'a'),
    last_name: 'Oberhuber'.padEnd(99, 'o'),
  }))
  const path = `/api/v1/users/invite/${stormer.organization_id}/bulk`
  const shot = jsonRequest('POST', path, { invitations }, stormer.token)
  const { results } = (await sendShot(url, shot, 200)) as {
    results: { invitation: { user: { _id: string } } | null }[]
  }
  return results.flatMap(({ invitation }) => invitation?.user._id ?? [])
}

/** Each message names all participants as often as its text has room for it. */
const naming = (scenario_name: string, isSmall: boolean): Library => ({
  ...{ scenario_name, channels: isSmall ? 1 : 8, messages: isSmall ? 2 : 25 },
  content: () => '{{user.full_name}}'.repeat(555),
})

/** So few that a process which cannot bear it fails soon, and not the machine. */
const fewConnections = 2

export const planStorms: Storm[] = [
  plansOf('plans of 10,000 lines', 10_000),
  stormOf(
    'growing texts',
    async (target) => {
      const { url, stormer: account, isSmall } = target
      const user_ids = await inviteTeam(target)
      const library = naming('growing', isSmall)
      await storeLibrary({ url, account }, library)
      const { scenario_name } = library
      return playing(account, {
        scenario_name,
        participants: user_ids.map((user_id) => ({ user_id })),
      })
    },
    fewConnections,
  ),
  plansOf('plans of 60,500 lines', 60_500, fewConnections),
]
