import { ActionForm, useAction } from '../../../shared/forms/action.js'
import { Field } from '../../../shared/forms/form.js'
import type { Schema } from '../../../shared/forms/schema.js'
import { readPeople } from '../../calls/people.js'
import { readBlueprint, readBlueprints, readSetups } from '../../calls/scenarios.js'
import { createSeatLinks } from '../../calls/seats.js'
import { createSession } from '../../calls/sessions.js'
import { type Kept, useKept } from '../../draft.js'
import { Choice } from '../../elements/choice.js'
import { Await, useLoaded } from '../../elements/loaded.js'
import { instantOf } from '../../elements/local-time.js'
import { go, href } from '../../router.js'
import { CatalogueLanguage } from '../../scenarios/catalogue-language.js'
import { View } from '../../view.js'
import { say } from '../../words/words.js'
import { keepLinks } from '../kept-links.js'
import { usePastStart } from '../past-start.js'
import { Pace } from './pace.js'
import { Raters } from './raters.js'
import { guestsOf, participantsOf, type Seat, seatsOf } from './seat-plan.js'
import { Seats } from './seats.js'

const read = async (scenario_name: string | undefined) => {
  const [setups, blueprints, people] = await Promise.all([
    readSetups(),
    readBlueprints(),
    readPeople(),
  ])
  const scenarios = blueprints.filter((one) => setups.has(one.scenario_type))
  const first = scenarios.find((one) => one.scenario_type === scenario_name) ?? scenarios[0]
  return { scenarios, people, first: first && (await readBlueprint(first.scenario_type)) }
}

type Read = Awaited<ReturnType<typeof read>>

/** Plans a session: its scenario, when it starts, and who takes part. */
export function PlanSession({ scenario_name }: { scenario_name?: string | undefined }) {
  const loaded = useLoaded(() => read(scenario_name), [scenario_name])
  return (
    <View
      title={say('lead.planSession')}
      over={<a href={href('sessions')}>← {say('lead.sessions')}</a>}
    >
      <Await loaded={loaded}>
        {({ first, ...all }) => (first ? <PlanForm {...all} first={first} /> : <NoScenario />)}
      </Await>
    </View>
  )
}

function NoScenario() {
  return (
    <section class="card stack">
      <p>{say('lead.noScenario')}</p>
      <p>
        <a class="button primary" href={href('scenarios')}>
          {say('lead.step1')}
        </a>
      </p>
    </section>
  )
}

/** What the form holds until it is sent. */
interface PlanFields {
  name: string
  scenario_name: string
  speed: string
  starts_at: string
  seats: readonly Seat[]
  rater_ids: readonly string[]
}

const planOf = ({ scenario_type, participant_roles }: Schema<'Blueprint'>): PlanFields => ({
  name: '',
  scenario_name: scenario_type,
  speed: '1',
  starts_at: '',
  seats: seatsOf(participant_roles),
  rater_ids: [],
})

/** Chooses a scenario, whose roles become the places. */
async function choose(kept: Kept<PlanFields>, scenario_name: string): Promise<void> {
  const { scenario_name: before } = kept.fields
  kept.set({ scenario_name })
  try {
    kept.set({ seats: seatsOf((await readBlueprint(scenario_name)).participant_roles) })
  } catch (error) {
    // The list then shows the scenario whose places are below.
    kept.set({ scenario_name: before })
    throw error
  }
}

async function send(kept: Kept<PlanFields>): Promise<void> {
  const { speed, starts_at, seats, rater_ids, ...named } = kept.fields
  const { _id } = await createSession({
    ...named,
    speed: Number(speed),
    starts_at: instantOf(starts_at),
    participants: participantsOf(seats),
    rater_ids: [...rater_ids],
  })
  kept.forget()
  const guests = guestsOf(seats)
  // If the links fail, the session is there, and its page makes them.
  if (guests.length > 0) keepLinks(_id, await createSeatLinks(_id, guests).catch(() => []))
  go('sessions', _id)
}

function PlanForm({ scenarios, people, first }: Read & { first: Schema<'Blueprint'> }) {
  const kept = useKept(`plan ${first.scenario_type}`, planOf(first))
  const { name, scenario_name, speed, starts_at, seats, rater_ids } = kept.fields
  const chosen = scenarios.find((one) => one.scenario_type === scenario_name)
  const action = useAction()
  const { saveOrAsk, question } = usePastStart(() => send(kept))
  return (
    <>
      <ActionForm action={action} act={() => saveOrAsk(starts_at)}>
        <div class="halves">
          <section class="card stack">
            <h2>{say('lead.drill')}</h2>
            <Field
              label={say('lead.sessionName')}
              hint={say('lead.sessionNameHint')}
              required
              maxLength={200}
              value={name}
              onInput={(name) => kept.set({ name })}
              fault={action.faultAt('name')}
            />
            <Choice
              label={say('lead.scenario')}
              value={scenario_name}
              options={scenarios.map((one) => ({ value: one.scenario_type, label: one.label }))}
              onChange={(value) => void action.run(() => choose(kept, value))}
            />
            <CatalogueLanguage lang={chosen?.lang ?? null} />
            <Pace
              speed={speed}
              minutes={chosen?.duration_minutes ?? null}
              onChange={(speed) => kept.set({ speed })}
            />
            <Field
              label={say('lead.startsAt')}
              hint={say('lead.startsAtHint')}
              type="datetime-local"
              value={starts_at}
              onInput={(starts_at) => kept.set({ starts_at })}
              fault={action.faultAt('starts_at')}
            />
            <p class="muted small">{say('lead.planForExperiment')}</p>
            <Raters
              people={people}
              chosen={rater_ids}
              onChange={(rater_ids) => kept.set({ rater_ids })}
            />
          </section>
          <Seats
            seats={seats}
            onChange={(seats) => kept.set({ seats })}
            people={people}
            action={action}
          />
        </div>
        <div class="row">
          <button type="submit" class="primary" aria-disabled={action.isBusy.value}>
            {say('lead.createSession')}
          </button>
          <a class="button" href={href('sessions')} onClick={() => kept.forget()}>
            {say('action.cancel')}
          </a>
        </div>
      </ActionForm>
      {question}
    </>
  )
}
