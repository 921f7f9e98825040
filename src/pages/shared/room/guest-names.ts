import type { Schema } from '../forms/schema.js'
import { say } from '../words/words.js'

/** A name as pages show it: the service calls guests "Guest 1", in English, until they give a name of their own. */
export const shownName = (name: string) =>
  name.replace(/^Guest (\d+)$/, (_, number: string) => say('guest.numbered', { number }))

/** A briefing with the names that pages show. */
export const withShownNames = (briefing: Schema<'SessionBriefing'>): Schema<'SessionBriefing'> => ({
  ...briefing,
  participants: briefing.participants.map((one) => {
    return { ...one, display_name: shownName(one.display_name) }
  }),
})
