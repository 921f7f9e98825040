import type { Rated } from '../session-ratings/queries.js'
import type { CastMember } from '../simulation-sessions/team/cast-queries.js'
import type { Participant } from '../simulation-sessions/team/participant-queries.js'
import type { ExportedMessage } from './queries.js'

interface Sources {
  places: Participant[]
  cast: CastMember[]
  /** The names of raters by user id. */
  raters: Map<string, string | null>
  /** Whether the export has names and user ids. */
  isNamed: boolean
}

export type Who = ReturnType<typeof whoIsWho>

/** Identifies people in an export: by pseudonyms, and by names and ids if it `isNamed`. */
export function whoIsWho({ places, cast, raters, isNamed }: Sources) {
  const byUser = new Map(places.map((place) => [place.user_id, place]))
  const byPlace = new Map(places.map((place) => [place._id, place]))
  const characters = new Map(cast.map((one) => [one._id, one.full_name ?? one.username]))

  const participant = (place: Participant | undefined) => ({
    pseudonym: place?.pseudonym ?? null,
    ...(isNamed && { user_id: place?.user_id ?? null, full_name: place?.full_name ?? null }),
  })
  return {
    participant,
    /** The participant whom a rating or a private word is about. For the team the pseudonym is null. */
    subject: (assignment_id: string) => participant(byPlace.get(assignment_id)),
    rater: ({ rater_id, pseudonym }: Pick<Rated, 'rater_id' | 'pseudonym'>) => ({
      rater: pseudonym,
      ...(isNamed && { rater_id, rater_name: raters.get(rater_id) ?? null }),
    }),
    sender({ sender_id, sender_kind }: Pick<ExportedMessage, 'sender_id' | 'sender_kind'>) {
      const isCharacter = sender_kind === 'character' && characters.has(sender_id)
      return {
        ...participant(sender_kind === 'participant' ? byUser.get(sender_id) : undefined),
        character_id: isCharacter ? sender_id : null,
        character_name: isCharacter ? (characters.get(sender_id) ?? null) : null,
      }
    },
  }
}
