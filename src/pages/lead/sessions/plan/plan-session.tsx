import { type Signal, signal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { ActionForm, useAction } from '../../../shared/forms/action.js'
import { Field } from '../../../shared/forms/form.js'
import type { Schema } from '../../../shared/forms/schema.js'
import { readPeople } from '../../calls/people.js'
import { readBlueprint, readBlueprints, readSetups } from '../../calls/scenarios.js'
import { createSeatLinks } from '../../calls/seats.js'
import { createSession } from '../../calls/sessions.js'
import { Choice } from '../../elements/choice.js'
import { Await, useLoaded } from '../../elements/loaded.js'
import { go, href } from '../../router.js'
import { CatalogueLanguage } from '../../scenarios/catalogue-language.js'
import { View } from '../../view.js'
import { say } from '../../words/words.js'
import { keepLinks } from '../kept-links.js'
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
class Plan {
  readonly name = signal('')
  readonly scenario_name: Signal<string>
  readonly speed = signal('1')
  readonly starts_at = signal('')
  readonly seats: Signal<readonly Seat[]>
  readonly rater_ids = signal<readonly string[]>([])

  constructor({ scenario_type, participant_roles }: Schema<'Blueprint'>) {
    this.scenario_name = signal(scenario_type)
    this.seats = signal(seatsOf(participant_roles))
  }

  /** Chooses a scenario, whose roles become the places. */
  async choose(scenario_name: string): Promise<void> {
    const { value: before } = this.scenario_name
    this.scenario_name.value = scenario_name
    try {
      this.seats.value = seatsOf((await readBlueprint(scenario_name)).participant_roles)
    } catch (error) {
      // The list then shows the scenario whose places are below.
      this.scenario_name.value = before
      throw error
    }
  }

  /** How long the chosen scenario takes. */
  minutesOf(scenarios: Read['scenarios']): number | null {
    const chosen = scenarios.find((one) => one.scenario_type === this.scenario_name.value)
    return chosen?.duration_minutes ?? null
  }

  async send(): Promise<void> {
    const starts_at = this.starts_at.value && new Date(this.starts_at.value).toISOString()
    const { _id } = await createSession({
      name: this.name.value,
      scenario_name: this.scenario_name.value,
      speed: Number(this.speed.value),
      starts_at: starts_at || null,
      participants: participantsOf(this.seats.value),
      rater_ids: [...this.rater_ids.value],
    })
    const guests = guestsOf(this.seats.value)
    // If the links fail, the session is there, and its page makes them.
    if (guests.length > 0) keepLinks(_id, await createSeatLinks(_id, guests).catch(() => []))
    go('sessions', _id)
  }
}

function PlanForm({ scenarios, people, first }: Read & { first: Schema<'Blueprint'> }) {
  const plan = useMemo(() => new Plan(first), [first])
  const action = useAction()
  return (
    <ActionForm action={action} act={() => plan.send()}>
      <div class="halves">
        <section class="card stack">
          <h2>{say('lead.drill')}</h2>
          <Field
            label={say('lead.sessionName')}
            hint={say('lead.sessionNameHint')}
            required
            maxLength={200}
            value={plan.name.value}
            onInput={(value) => {
              plan.name.value = value
            }}
            fault={action.faultAt('name')}
          />
          <Choice
            label={say('lead.scenario')}
            value={plan.scenario_name.value}
            options={scenarios.map((one) => ({ value: one.scenario_type, label: one.label }))}
            onChange={(value) => void action.run(() => plan.choose(value))}
          />
          <CatalogueLanguage />
          <Pace
            speed={plan.speed.value}
            minutes={plan.minutesOf(scenarios)}
            onChange={(value) => {
              plan.speed.value = value
            }}
          />
          <Field
            label={say('lead.startsAt')}
            hint={say('lead.startsAtHint')}
            type="datetime-local"
            value={plan.starts_at.value}
            onInput={(value) => {
              plan.starts_at.value = value
            }}
            fault={action.faultAt('starts_at')}
          />
          <p class="muted small">{say('lead.planForExperiment')}</p>
          <Raters people={people} chosen={plan.rater_ids} />
        </section>
        <Seats seats={plan.seats} people={people} action={action} />
      </div>
      <div class="row">
        <button type="submit" class="primary" aria-disabled={action.isBusy.value}>
          {say('lead.createSession')}
        </button>
        <a class="button" href={href('sessions')}>
          {say('action.cancel')}
        </a>
      </div>
    </ActionForm>
  )
}
