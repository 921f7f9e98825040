import { useMemo, useState } from 'preact/hooks'
import { announce } from '../../../shared/announcer.js'
import { Dialog } from '../../../shared/dialog.js'
import { ActionFault, ActionForm, useAction } from '../../../shared/forms/action.js'
import { ActionButton } from '../../../shared/forms/action-button.js'
import { Notice } from '../../../shared/forms/form.js'
import type { Schema } from '../../../shared/forms/schema.js'
import { rate } from '../../calls/sessions.js'
import { may } from '../../me.js'
import { say } from '../../words/words.js'
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
  const sending = useAction()
  const needed = criteria.filter(({ scale }) => scale.type !== 'text')
  const givenTo = (place: string | null) => ({
    given: needed.filter(({ criterion }) => isGiven(draft.of(criterion, place).value)).length,
    all: needed.length,
  })
  const team = givenTo(null)
  const isAll = team.given === team.all
  const [isAsking, setAsking] = useState(false)
  const save = async () => {
    await draft.send((given) => rate(id, given))
    await onSaved()
  }
  const saveOrAsk = async () => {
    if (isAll) setAsking(true)
    else {
      await save()
      announce(say('lead.rateSaved'))
    }
  }
  return (
    <ActionForm action={action} act={saveOrAsk}>
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
      <div class="card row between rate-foot unprinted">
        <p>
          {isAll ? say('lead.rateFinal') : say('lead.rateGiven', team)}{' '}
          {draft.isSaved.value ? (
            <span class="chip good">{say('lead.rateSaved')}</span>
          ) : (
            <span class="muted small">{say('lead.rateDraft')}</span>
          )}
        </p>
        {may('rateSession') && (
          <button type="submit" class="primary" aria-disabled={action.isBusy.value}>
            {isAll ? say('lead.rateFinish') : say('lead.rateSave')}
          </button>
        )}
      </div>
      {isAsking && (
        <Dialog title={say('lead.rateSendTitle')} onClose={() => setAsking(false)}>
          <ul>
            <li>
              {say('lead.rateTeam')}: {say('lead.rateGiven', team)}
            </li>
            {people.map((person) => (
              <li key={person.assignment_id}>
                {nameOf(person)}: {say('lead.rateGiven', givenTo(person.assignment_id))}
              </li>
            ))}
          </ul>
          <p>{say('lead.rateSendWhy')}</p>
          <ActionFault action={sending} />
          <div class="row">
            <ActionButton action={sending} act={save} kind="primary" done={say('lead.rated')}>
              {say('lead.rateFinish')}
            </ActionButton>
            <button type="button" onClick={() => setAsking(false)}>
              {say('action.cancel')}
            </button>
          </div>
        </Dialog>
      )}
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
