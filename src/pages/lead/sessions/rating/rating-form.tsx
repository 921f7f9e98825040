import { useMemo } from 'preact/hooks'
import { ActionForm, useAction } from '../../../shared/forms/action.js'
import { Notice } from '../../../shared/forms/form.js'
import type { Schema } from '../../../shared/forms/schema.js'
import { say } from '../../../shared/words/words.js'
import { rate } from '../../calls/sessions.js'
import { may } from '../../me.js'
import { Criterion } from './criterion.js'
import { isGiven, RatingsDraft } from './ratings-draft.js'

type Person = Schema<'BriefedParticipant'>

interface RatingFormProps {
  id: string
  ratings: Schema<'SessionRatings'>
  people: readonly Person[]
  onSaved: () => Promise<void>
}

/** The criteria of the team, and below them those of each participant, which may stay empty. */
export function RatingForm({ id, ratings, people, onSaved }: RatingFormProps) {
  const { criteria } = ratings
  const draft = useMemo(() => new RatingsDraft(id, ratings), [id])
  const action = useAction()
  const needed = criteria.filter(({ scale }) => scale.type !== 'text')
  const given = needed.filter(({ criterion }) => isGiven(draft.of(criterion, null).value))
  const isAll = given.length === needed.length
  const save = async () => {
    await rate(id, draft.ratings)
    draft.forget()
    draft.isSaved.value = true
    await onSaved()
  }
  return (
    <ActionForm action={action} act={save} done={say('lead.rated')}>
      <Notice>{say('lead.rateWhy')}</Notice>
      <Criteria draft={draft} criteria={criteria} person={null} />
      {people.length > 0 && (
        <section class="stack tight">
          <h2>{say('lead.ratePeople')}</h2>
          <p class="muted small">{say('lead.ratePeopleWhy')}</p>
          {people.map((person) => (
            <details key={person.assignment_id} class="card">
              <summary>{nameOf(person)}</summary>
              <div class="stack">
                <Criteria draft={draft} criteria={criteria} person={person} />
              </div>
            </details>
          ))}
        </section>
      )}
      <div class="card row between rate-foot">
        <p>
          {isAll
            ? say('lead.rateFinal')
            : say('lead.rateGiven', { given: given.length, all: needed.length })}
          {draft.isSaved.value && (
            <>
              {' '}
              <span class="chip good">{say('lead.rated')}</span>
            </>
          )}
        </p>
        {may('rateSession') && (
          <button type="submit" class="primary" aria-disabled={action.isBusy.value}>
            {isAll ? say('lead.rateFinish') : say('lead.rateSave')}
          </button>
        )}
      </div>
    </ActionForm>
  )
}

interface CriteriaProps {
  draft: RatingsDraft
  criteria: Schema<'SessionRatings'>['criteria']
  /** Null for the team. */
  person: Person | null
}

/** The criteria of the team or of one participant. */
const Criteria = ({ draft, criteria, person }: CriteriaProps) =>
  criteria.map((item) => {
    const rating = draft.of(item.criterion, person?.assignment_id ?? null)
    return (
      <Criterion
        key={item.criterion}
        item={item}
        name={person ? nameOf(person) : undefined}
        value={rating.value}
        comment={rating.comment}
        onValue={(value) => draft.write({ ...rating, value })}
        onComment={(comment) => draft.write({ ...rating, comment })}
      />
    )
  })

/** The name of a participant, with their role. */
export const nameOf = ({ display_name, role_title }: Person) =>
  role_title === null || role_title === display_name
    ? display_name
    : `${display_name} · ${role_title}`
