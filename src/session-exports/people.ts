import type { Rated } from '../session-ratings/queries.js'
import type { CastMember } from '../simulation-sessions/cast-queries.js'
import type { Participant } from '../simulation-sessions/participant-queries.js'
import type { ExportedMessage } from './queries.js'

interface Sources {
  places: Participant[]
  cast: CastMember[]
  /** What raters are called, by their ids. */
  raters: Map<string, string | null>
  /** Whether people stand under their names. */
  isNamed: boolean
}

export type Who = ReturnType<typeof whoIsWho>

/** Says of whom an export speaks. Nobody stands in it by an id but characters, unless it is named. */
export function whoIsWho({ places, cast, raters, isNamed }: Sources) {
  const byUser = new Map(places.map((place) => [place.user_id, place]))
  const byAssignment = new Map(places.map((place) => [place._id, place]))
  const characters = new Map(cast.map((one) => [one._id, one.full_name ?? one.username]))

  const participant = (place: Participant | undefined) => ({
    pseudonym: place?.pseudonym ?? null,
    ...(isNamed && { user_id: place?.user_id ?? null, full_name: place?.full_name ?? null }),
  })
  return {
    participant,
    /** Whom a rating is about; nobody alone where that is the team. */
    subject: (assignment_id: string) => participant(byAssignment.get(assignment_id)),
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
