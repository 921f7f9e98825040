import { Await, useLoaded } from './elements/loaded.js'
import { Experiments } from './experiments/experiments.js'
import { may } from './me.js'
import { isPart } from './run/desk-room.js'
import { Run } from './run/run.js'
import { Scenarios } from './scenarios/scenarios.js'
import { Session } from './sessions/session.js'
import { Sessions } from './sessions/sessions.js'

// These views are not in the first load, whose size has a bound.

function Experiment({ id }: { id: string }) {
  const loaded = useLoaded(() => import('./experiments/experiment.js'))
  return <Await loaded={loaded}>{(file) => <file.Experiment id={id} />}</Await>
}

function Rate({ id }: { id: string }) {
  const loaded = useLoaded(() => import('./sessions/rating/rate.js'))
  return <Await loaded={loaded}>{(file) => <file.Rate id={id} />}</Await>
}

function Scenario({ scenario_type }: { scenario_type: string }) {
  const loaded = useLoaded(() => import('./scenarios/scenario.js'))
  return <Await loaded={loaded}>{(file) => <file.Scenario scenario_type={scenario_type} />}</Await>
}

function PlanSession({ scenario_name }: { scenario_name: string | undefined }) {
  const loaded = useLoaded(() => import('./sessions/plan/plan-session.js'))
  return (
    <Await loaded={loaded}>{(file) => <file.PlanSession scenario_name={scenario_name} />}</Await>
  )
}

function Pack({ id }: { id: string }) {
  const loaded = useLoaded(() => import('./sessions/pack/pack.js'))
  return <Await loaded={loaded}>{(file) => <file.Pack id={id} />}</Await>
}

function People() {
  const loaded = useLoaded(() => import('./people/people.js'))
  return <Await loaded={loaded}>{(file) => <file.People />}</Await>
}

function Consent() {
  const loaded = useLoaded(() => import('./consent/consent.js'))
  return <Await loaded={loaded}>{(file) => <file.Consent />}</Await>
}

/** Returns the view of an address. Each session has its own, so that nothing of another one stays. */
export function viewOf([place, id, part, other]: readonly string[]) {
  if (place === 'scenarios') return id ? <Scenario key={id} scenario_type={id} /> : <Scenarios />
  if (place === 'experiments') return id ? <Experiment key={id} id={id} /> : <Experiments />
  if (place === 'people' && may('inviteMember')) return <People />
  if (place === 'consent' && may('listConsentTexts')) return <Consent />
  if (place !== 'sessions' || !id) return <Sessions />
  if (id === 'new') return <PlanSession scenario_name={part} />
  if (part === 'run') {
    if (isPart(other)) return <Run key={id} ids={[id]} part={other} />
    return <Run key={`${id} ${other}`} ids={other ? [id, other] : [id]} />
  }
  if (part === 'pack') return <Pack key={id} id={id} />
  if (part === 'rate') return <Rate key={id} id={id} />
  return <Session key={id} id={id} />
}
