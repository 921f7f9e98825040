import { createId } from '../../src/formats/identifiers.js'

/** A session as a stream finds it before its first message. */
export const newSessionRow = (organization_id: string, _id = createId()) => ({
  ...({ organization_id, _id, name: 'Tuesday', status: 'running', speed: 1 } as const),
  anchor_at: null,
  paused_at: null,
  ended_at: null,
  last_seq: 0,
  team_seq: 0,
  trainer_seq: 0,
  lapsed_beats: [],
  now: new Date(0).toISOString(),
})

/** A trainer of an organization who has just logged in. */
export const newReader = (organization_id: string, network = '127.0.0.1') => ({
  ...({ organization_id, user_id: createId(), role: 'admin', kind: 'trainer' } as const),
  session_id: createId(),
  api_key_id: null,
  seat: null,
  expiresAt: null,
  network,
  seesAll: true,
  takesPart: false,
})
