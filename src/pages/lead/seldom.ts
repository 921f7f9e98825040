// One file for all views that load later. With several, what they share would become still more files.
export { Consent } from './consent/consent.js'
export { Experiment } from './experiments/experiment.js'
export { People } from './people/people.js'
export { Scenario } from './scenarios/scenario.js'
export { Pack } from './sessions/pack/pack.js'
export { PlanSession } from './sessions/plan/plan-session.js'
export { Rate } from './sessions/rating/rate.js'
export { Session } from './sessions/session.js'
