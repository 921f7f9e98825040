import type { CastMember } from '../simulation-sessions/cast-queries.js'
import type { Participant } from '../simulation-sessions/participant-queries.js'
import type { ExportedMessage } from './queries.js'

interface Sources {
  places: Participant[]
  cast: CastMember[]
  /** Raters with what they are called, in an order that no later rating changes. */
  raters: [user_id: string, full_name: string | null][]
  /** Whether people stand under their names. */
  isNamed: boolean
}

export type Who = ReturnType<typeof whoIsWho>

/** Says of whom an export speaks. Nobody stands in it by an id but characters, unless it is named. */
export function whoIsWho({ places, cast, raters, isNamed }: Sources) {
  const byUser = new Map(places.map((place) => [place.user_id, place]))
  const byAssignment = new Map(places.map((place) => [place._id, place]))
  const characters = new Map(cast.map((one) => [one._id, one.full_name ?? one.username]))
  const raterNames = new Map(raters)
  const raterNumbers = new Map(raters.map(([user_id], i) => [user_id, `rater-${i + 1}`]))

  const participant = (place: Participant | undefined) => ({
    pseudonym: place?.pseudonym ?? null,
    ...(isNamed && { user_id: place?.user_id ?? null, full_name: place?.full_name ?? null }),
  })
  return {
    participant,
    /** Whom a rating is about; nobody alone where that is the team. */
    subject: (assignment_id: string) => participant(byAssignment.get(assignment_id)),
    rater: (user_id: string) => ({
      rater: raterNumbers.get(user_id) ?? null,
      ...(isNamed && { rater_id: user_id, rater_name: raterNames.get(user_id) ?? null }),
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
