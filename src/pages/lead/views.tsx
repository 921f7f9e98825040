import type { ComponentChildren } from 'preact'
import { Await, useLoaded } from './elements/loaded.js'
import { Experiments } from './experiments/experiments.js'
import { may } from './me.js'
import { isPart } from './run/desk-room.js'
import { Run } from './run/run.js'
import { Scenarios } from './scenarios/scenarios.js'
import { Sessions } from './sessions/sessions.js'

const readSeldom = () => import('./seldom.js')

interface LaterProps {
  children: (views: Awaited<ReturnType<typeof readSeldom>>) => ComponentChildren
}

/** A view that is loaded later, because the size of the first load is limited. */
function Later({ children }: LaterProps) {
  return <Await loaded={useLoaded(readSeldom)}>{children}</Await>
}

/** Returns the view of an address. Each session has its own, so that nothing of another one stays. */
export function viewOf([place, id, part, other]: readonly string[]) {
  const path = [place, id, part].join('/')
  if (place === 'scenarios') {
    if (!id) return <Scenarios />
    return <Later key={path}>{({ Scenario }) => <Scenario scenario_type={id} />}</Later>
  }
  if (place === 'experiments') {
    if (!id) return <Experiments />
    return <Later key={path}>{({ Experiment }) => <Experiment id={id} />}</Later>
  }
  if (place === 'people' && may('inviteMember')) {
    return <Later key={path}>{({ People }) => <People />}</Later>
  }
  if (place === 'consent' && may('listConsentTexts')) {
    return <Later key={path}>{({ Consent }) => <Consent />}</Later>
  }
  if (place !== 'sessions' || !id) return <Sessions />
  if (id === 'new') {
    return <Later key={path}>{({ PlanSession }) => <PlanSession scenario_name={part} />}</Later>
  }
  if (part === 'run') {
    if (isPart(other)) return <Run key={id} ids={[id]} part={other} />
    return <Run key={`${id} ${other}`} ids={other ? [id, other] : [id]} />
  }
  if (part === 'pack') {
    return <Later key={path}>{({ Pack }) => <Pack id={id} />}</Later>
  }
  if (part === 'rate') {
    return <Later key={path}>{({ Rate }) => <Rate id={id} />}</Later>
  }
  return <Later key={path}>{({ Session }) => <Session id={id} />}</Later>
}
