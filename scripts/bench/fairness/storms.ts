import { getRequest } from '../client.js'
import { applyQuickSetup, previewQuickSetup, registerAgainAndAgain } from '../requests.js'
import { cheapRead } from './arena.js'
import { bodyStorms } from './body-storms.js'
import type { Shot } from './flood.js'
import { planStorms } from './plan-storms.js'
import { importOf, makeCharacters, storeLibrary } from './scenery.js'
import { sessionStorms } from './session-storms.js'
import { repeating, type Storm, stormOf } from './storm.js'
import { trailStorms } from './trail-storms.js'

/** The storm that the others are compared with. */
const cheapStorm = repeating('cheap read', cheapRead)

const words = 'can we look at the shift plan before the review? '

const templatesPath = '/api/v1/admin/simulation/channel-templates'

/** About 8 MB of templates with messages of the usual length. */
const library = (scenario_name: string, isSmall: boolean, said: string) => ({
  ...{ scenario_name, channels: isSmall ? 4 : 50, messages: 500 },
  content: (number: number) => `Message ${number}: ${said.repeat(5)}`,
})

const imports = stormOf('imports of 8 MB', async ({ url, stormer, isSmall }) => {
  const [character] = await makeCharacters({ url, account: stormer }, 1)
  if (!character) throw new Error('The setup made no character')
  // By turns, so that each import changes every template and the storage does not grow.
  const shots = [words, 'shall we look at the figures of last week today? '].map((said) =>
    importOf(stormer, library('imported', isSmall, said), character),
  )
  return (ask, number) => ask(shots[number % shots.length] as Shot)
})

const lists = stormOf('lists of 8 MB', async ({ url, stormer, isSmall }) => {
  await storeLibrary({ url, account: stormer }, library('listed', isSmall, words))
  const shot = getRequest(stormer.token, `${templatesPath}?scenario_name=listed`)
  return (ask) => ask(shot)
})

const teamSize = 50

const setups = [
  repeating('applies of quick setups', (account) => applyQuickSetup(account, teamSize)),
  repeating('previews of quick setups', (account) => previewQuickSetup(account, teamSize)),
]

const registrations = stormOf('registrations', () => {
  return (ask) => {
    const [request] = registerAgainAndAgain()
    return ask(request as Shot)
  }
})

/** The first is what the others are compared with. */
const storms: Storm[] = [
  cheapStorm,
  ...bodyStorms,
  imports,
  lists,
  ...trailStorms,
  ...setups,
  ...sessionStorms,
  registrations,
  ...planStorms,
]

/** The cheap reads, which the others are compared with, and those whose names have one of the parts. */
export function chosenStorms(parts: readonly string[]): Storm[] {
  const isChosen = ({ name }: Storm) => parts.some((part) => name.includes(part))
  return storms.filter((storm, index) => index === 0 || parts.length === 0 || isChosen(storm))
}
