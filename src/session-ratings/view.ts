import { JsonText, type Schema } from '../contract.js'
import { type Rated, team } from './queries.js'

type Rubric = Schema<'RubricItem'>[]
type Answer = Schema<'SessionRatings'>

/** Whether a rater has rated the team by every criterion. Text criteria are optional. */
export function isComplete(criteria: Rubric, own: Pick<Rated, 'subject' | 'criterion'>[]): boolean {
  const rated = new Set(own.filter(({ subject }) => subject === team).map((one) => one.criterion))
  const asked = criteria.filter(({ scale }) => scale.type !== 'text')
  return asked.length > 0 && asked.every(({ criterion }) => rated.has(criterion))
}

/** Puts the ratings, which are JSON text already, into the answer. Many ratings come in pieces. */
export function withRatings(
  { criteria, ...rest }: Omit<Answer, 'ratings'>,
  { text }: JsonText<Answer['ratings']>,
): JsonText<Answer> {
  const begin = `{"criteria":${JSON.stringify(criteria)},"ratings":`
  const end = `,${JSON.stringify(rest).slice(1)}`
  if (typeof text === 'string') return new JsonText(begin + text + end)
  async function* pieces(ratings: AsyncIterable<string | Buffer>) {
    yield begin
    yield* ratings
    yield end
  }
  return new JsonText(pieces(text))
}
