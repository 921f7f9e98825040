import { Notice } from '../../../shared/forms/form.js'
import type { Schema } from '../../../shared/forms/schema.js'
import { ScrollArea } from '../../../shared/scroll-area.js'
import { say } from '../../../shared/words/words.js'
import { me } from '../../me.js'
import { nameOf } from './rating-form.js'

interface RatingsTableProps {
  ratings: Schema<'SessionRatings'>
  people: readonly Schema<'BriefedParticipant'>[]
}

/** All ratings of a session, for those whose own are complete: of the team, and of participants. */
export function RatingsTable({ ratings, people }: RatingsTableProps) {
  const { criteria } = ratings
  const of = (place: string | null) =>
    ratings.ratings.filter(({ assignment_id }) => assignment_id === place)
  const raters = [...new Set(ratings.ratings.map(({ rater_id }) => rater_id))].sort(ownFirst)
  const rated = people.filter(({ assignment_id }) => of(assignment_id).length > 0)
  return (
    <div class="stack">
      <Notice kind="good">
        {say('lead.ratedAll')} {say(raters.some(isOther) ? 'lead.ratedOthers' : 'lead.ratedAlone')}
      </Notice>
      {ratings.arm && <p>{say('lead.ranIn', { arm: say(`lead.arm.${ratings.arm}`) })}</p>}
      <Table title={say('lead.ratings')} criteria={criteria} raters={raters} ratings={of(null)} />
      {rated.map((person) => (
        <section key={person.assignment_id} class="stack tight">
          <h2>{nameOf(person)}</h2>
          <Table
            title={nameOf(person)}
            criteria={criteria}
            raters={raters}
            ratings={of(person.assignment_id)}
          />
        </section>
      ))}
    </div>
  )
}

interface TableProps {
  title: string
  criteria: Schema<'SessionRatings'>['criteria']
  raters: readonly string[]
  ratings: readonly Schema<'Rating'>[]
}

/** One row for each criterion, and one column for each rater. */
const Table = ({ title, criteria, raters, ratings }: TableProps) => (
  <ScrollArea class="card table-box" label={title}>
    <table>
      <thead>
        <tr>
          <th scope="col">{say('lead.criterion')}</th>
          {raters.map((rater_id, index) => (
            <th key={rater_id} scope="col">
              {isOwn(rater_id) ? say('message.you') : say('lead.rater', { number: index + 1 })}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {criteria.map(({ criterion, question }) => (
          <tr key={criterion}>
            <th scope="row">
              {criterion}
              <p class="muted small question">{question}</p>
            </th>
            {raters.map((rater_id) => (
              <Cell
                key={rater_id}
                rating={ratings.find(
                  (one) => one.rater_id === rater_id && one.criterion === criterion,
                )}
              />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </ScrollArea>
)

const isOwn = (rater_id: string) => rater_id === me.value?.user._id
const isOther = (rater_id: string) => !isOwn(rater_id)
const ownFirst = (a: string, b: string) => Number(isOwn(b)) - Number(isOwn(a))

function Cell({ rating }: { rating: Schema<'Rating'> | undefined }) {
  if (!rating) return <td>–</td>
  const { value, comment } = rating
  const text = typeof value === 'boolean' ? say(value ? 'rating.yes' : 'rating.no') : `${value}`
  return (
    <td>
      {text}
      {comment && <p class="muted small">{comment}</p>}
    </td>
  )
}
