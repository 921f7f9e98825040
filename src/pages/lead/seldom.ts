// One file for all views that load later. Several files would split what they share into still more files.
export { Consent } from './consent/consent.js'
export { Experiment } from './experiments/experiment.js'
export { People } from './people/people.js'
export { Scenario } from './scenarios/scenario.js'
export { Pack } from './sessions/pack/pack.js'
export { PlanSession } from './sessions/plan/plan-session.js'
export { Rate } from './sessions/rating/rate.js'
