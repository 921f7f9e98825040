import { Notice } from '../../../shared/forms/form.js'
import type { Schema } from '../../../shared/forms/schema.js'
import { ScrollArea } from '../../../shared/scroll-area.js'
import { written } from '../../../shared/written.js'
import { me } from '../../me.js'
import { say } from '../../words/words.js'
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
      {ratings.self_ratings.length > 0 && <SelfRatings ratings={ratings} people={people} />}
    </div>
  )
}

/** How participants have rated themselves, for the debriefing. */
const SelfRatings = ({ ratings, people }: RatingsTableProps) => (
  <section class="card stack tight">
    <h2>{say('lead.selfRatings')}</h2>
    {ratings.self_ratings.map(({ assignment_id, values, comment }) => {
      const person = people.find((one) => one.assignment_id === assignment_id)
      return (
        <div key={assignment_id} class="stack tight">
          <h3>{person ? nameOf(person) : '–'}</h3>
          <ul>
            {values.map(({ criterion, value }) => (
              <li key={criterion}>
                {criterion}: {textOf(value)}
              </li>
            ))}
          </ul>
          {comment && (
            <p class="text" {...written}>
              {comment}
            </p>
          )}
        </div>
      )
    })}
  </section>
)

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
              <p class="muted small criterion-question">{question}</p>
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
  return (
    <td>
      {textOf(value)}
      {comment && (
        <p class="muted small" {...written}>
          {comment}
        </p>
      )}
    </td>
  )
}

const textOf = (value: Schema<'RatingValue'>) =>
  typeof value === 'boolean' ? say(value ? 'rating.yes' : 'rating.no') : `${value}`
